#include "kernel_audit/evidence/claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace kernel_audit::evidence {
namespace {

using core::Json;
using ::testing::HasSubstr;

// Nothing leads from one tier to another, and nobody but its maker has a witness. tests/evidence holds the same against the compiler's words.
template <typename To, typename... From>
constexpr bool kNothingLeads = !(std::is_constructible_v<To, From> || ...) && !(std::is_assignable_v<To&, From> || ...);
static_assert(kNothingLeads<ExecutedClaim, SimulatedClaim, CompiledClaim, EstimateClaim, Json, std::string>);
static_assert(kNothingLeads<CompiledClaim, SimulatedClaim, ExecutedClaim, EstimateClaim, Json, std::string>);
static_assert(kNothingLeads<SimulatedClaim, CompiledClaim, ExecutedClaim, EstimateClaim, Json, std::string>);
static_assert(!std::is_constructible_v<ExecutedClaim, Witness<Tier::kSimulated>, Json> && !std::is_constructible_v<ExecutedClaim, Witness<Tier::kCompiled>, Json>);
static_assert(!std::is_default_constructible_v<Witness<Tier::kSimulated>> && !std::is_default_constructible_v<Witness<Tier::kCompiled>> &&
              !std::is_default_constructible_v<Witness<Tier::kExecuted>>);

TEST(Claim, SaysItsTierAndSchema) {
  const EstimateClaim claim({}, {{"buffers", Json::array()}});
  EXPECT_EQ(claim.text(), "{\"buffers\":[],\"schema\":\"kernel-audit/estimate/1\",\"tier\":\"estimate\"}\n");
}

TEST(Claim, ABodyCannotSayItsOwnTier) {
  EXPECT_THROW(EstimateClaim({}, {{"tier", "executed"}}), core::InternalError);
  EXPECT_THROW(EstimateClaim({}, {{"schema", "x"}}), core::InternalError);
  EXPECT_THROW(EstimateClaim({}, Json::array()), core::InternalError);
}

TEST(Claim, OnlyAnExecutedDocumentHasATime) {
  for (const char* key : {"samples_ns", "median_ns", "time", "compile_time", "seconds", "duration", "bytes_per_second", "timings", "ns", "throughput"}) {
    EXPECT_THROW(EstimateClaim({}, {{"a", {{"b", Json::array({{{key, 1}}})}}}}), core::InternalError) << key;
    const Json document = {{"tier", "compiled"}, {"schema", "kernel-audit/compiled/1"}, {key, 1}};
    EXPECT_THAT(ReadDocument(Tier::kCompiled, core::CanonicalJson(document)).error().message, HasSubstr(std::string("\"") + key + "\" names one"));
    const Json executed = {{"tier", "executed"}, {"schema", "kernel-audit/executed/1"}, {key, 1}};
    EXPECT_TRUE(ReadDocument(Tier::kExecuted, core::CanonicalJson(executed))) << key;
  }
  for (const char* key : {"steps", "sometimes_not", "insight", "sublanes", "transfers", "smem"}) EXPECT_NO_THROW(EstimateClaim({}, {{key, 1}})) << key;
}

TEST(Claim, ATextOfAnotherTierIsNotRead) {
  const std::string simulated = "{\"schema\":\"kernel-audit/simulated/1\",\"tier\":\"simulated\"}\n";
  EXPECT_TRUE(ReadClaim<Tier::kSimulated>(simulated));
  EXPECT_THAT(ReadClaim<Tier::kExecuted>(simulated).error().message, HasSubstr("stands where a document of the tier executed belongs"));
  EXPECT_THAT(ReadClaim<Tier::kExecuted>("{\"schema\":\"kernel-audit/simulated/1\",\"tier\":\"executed\"}").error().message, HasSubstr("schema"));
  EXPECT_FALSE(ReadClaim<Tier::kSimulated>("[]"));
  EXPECT_FALSE(ReadClaim<Tier::kSimulated>("{ \"tier\": \"simulated\"}"));
  EXPECT_THAT(ReadClaim<Tier::kSimulated>("{\"tier\":1}").error().message, HasSubstr("has no \"tier\""));
}

}  // namespace
}  // namespace kernel_audit::evidence
