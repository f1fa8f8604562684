// What `check` found out, as documents and as the files of a bundle.
#pragma once

#include "kernel_audit/check/check_report.h"
#include "kernel_audit/evidence/bundle.h"
#include "kernel_audit/report/ownership.h"

namespace kernel_audit::check {

// Every stage with its checks, cases, ownership maps and timelines: "subject" is "check".
evidence::SimulatedClaim CheckClaim(const CheckReport& report);

// The buffers and the padding that the requests alone imply.
evidence::EstimateClaim CheckEstimate(const CheckReport& report);

report::OwnershipPicture PictureOf(const OwnershipMap& map);

// Adds the two documents, the candidate's source, every module, the arrays that were kept and the pictures.
core::Result<void> AddCheck(const CheckReport& report, evidence::Bundle& bundle);

}  // namespace kernel_audit::check
