// What the verifiers of documents share.
#pragma once

#include <string>

#include "kernel_audit/core/json.h"
#include "kernel_audit/core/shape.h"
#include "kernel_audit/evidence/bundle.h"

namespace kernel_audit::evidence {

// The first figure that does not follow, as the words behind the document's path; empty: all follow. They throw what core::Json throws
// for a document that has not its schema's form.
std::string CheckProblem(const Bundle& bundle, const core::Json& document);
std::string RunProblem(const Bundle& bundle, const core::Json& document);
std::string CompiledProblem(const Bundle& bundle, const core::Json& document);
std::string EstimateProblem(const core::Json& document);
std::string ExecutedProblem(const Bundle& bundle, const core::Json& document);

// "says KEY is A, and B follows from REST"; empty when they are equal.
std::string Differs(const std::string& key, const core::Json& said, const core::Json& follows);

// Whether one of the bundle's modules has this hash, which is its file's name too.
bool HasModule(const Bundle& bundle, const std::string& sha256);

// What is wrong with a file of the role kArray that should hold elements of this hash; empty: nothing.
std::string ArrayProblem(const Bundle& bundle, const std::string& path, const std::string& sha256);

// The product, or -1 for extents that are negative or whose product is too large.
std::int64_t Product(const core::Shape& shape);

}  // namespace kernel_audit::evidence
