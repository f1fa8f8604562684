// What the subcommands share: where candidates are found, how errors end, how progress is shown.
#pragma once

#include <filesystem>
#include <string>

#include "kernel_audit/check/check_report.h"
#include "kernel_audit/cli/command.h"
#include "kernel_audit/core/error.h"
#include "kernel_audit/report/ownership.h"

namespace kernel_audit::cli {

// "starter" and "solution" are the own models of projects/PROJECT; anything else is a file.
core::Result<std::filesystem::path> FindImplementation(const std::string& name, const std::string& project = "kernel-audit");

// A module's text, of at most 256 MiB.
core::Result<std::string> ReadModule(const std::string& path);

// Prints the error on standard error and gives the exit status it stands for.
int Fail(const core::Error& error);

// A line on standard error that is written over; nothing unless it is a terminal.
void ShowProgress(const std::string& text);
void ClearProgress();

// "ok" and "FAIL" in colour on a terminal, unless NO_COLOR is set.
std::string Mark(bool passed);

report::OwnershipPicture PictureOf(const check::OwnershipMap& map);

}  // namespace kernel_audit::cli
