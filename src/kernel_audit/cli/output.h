// What the subcommands share: where candidates are found, how errors end, how progress is shown.
#pragma once

#include <filesystem>
#include <string>

#include "kernel_audit/cli/command.h"
#include "kernel_audit/core/error.h"

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

// That a bundle is there, whole and verified; on standard error, which evidence is not about.
void AnnounceBundle(const std::filesystem::path& folder);

// "ok" and "FAIL" in colour on a terminal, unless NO_COLOR is set.
std::string Mark(bool passed);

}  // namespace kernel_audit::cli
