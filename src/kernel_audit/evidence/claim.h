// A document that says on what ground it speaks.
//
// Every document has "tier", "schema" (its name and version) and what its maker put into it. A Claim is made with its tier's Witness or
// read back from a bundle; there is no way from one tier to another, and only an executed document may have a field for a time.
#pragma once

#include <string>
#include <utility>

#include "kernel_audit/core/error.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/evidence/tier.h"

namespace kernel_audit::evidence {

// "kernel-audit/simulated/1".
std::string SchemaName(Tier tier);

// The first key, at any depth, that names a time or a rate ("samples_ns", "compile_time", "bytes_per_second"); empty: none.
std::string TimeField(const core::Json& document);

namespace detail {
// `body` with "tier" and "schema". Throws InternalError for a body that is no object, has one of the two already, or names a time where
// its tier has none.
core::Json MakeDocument(Tier tier, core::Json body);
}  // namespace detail

template <Tier tier>
class Claim {
 public:
  Claim(const Witness<tier>&, core::Json body) : document_(detail::MakeDocument(tier, std::move(body))) {}

  const core::Json& document() const { return document_; }
  // Canonical, with a newline at its end.
  std::string text() const { return core::CanonicalJson(document_) + "\n"; }

 private:
  explicit Claim(core::Json document) : document_(std::move(document)) {}
  template <Tier wanted>
  friend core::Result<Claim<wanted>> ReadClaim(const std::string& text);

  core::Json document_;
};

using EstimateClaim = Claim<Tier::kEstimate>;
using SimulatedClaim = Claim<Tier::kSimulated>;
using CompiledClaim = Claim<Tier::kCompiled>;
using ExecutedClaim = Claim<Tier::kExecuted>;

// A document of this tier from a file's bytes. kBadInput for what is not canonical JSON, is of another tier or schema, or names a time
// where its tier has none.
core::Result<core::Json> ReadDocument(Tier tier, const std::string& text);

template <Tier wanted>
core::Result<Claim<wanted>> ReadClaim(const std::string& text) {
  auto document = ReadDocument(wanted, text);
  if (!document) return tl::unexpected(std::move(document.error()));
  return Claim<wanted>(std::move(*document));
}

}  // namespace kernel_audit::evidence
