#include "kernel_audit/evidence/manifest.h"

#include <algorithm>
#include <array>

#include "kernel_audit/core/json.h"
#include "kernel_audit/core/printable.h"
#include "kernel_audit/core/sha256.h"

namespace kernel_audit::evidence {
namespace {

using core::ErrorCode;
using core::Fail;
using core::Json;

constexpr const char* kFormat = "kernel-audit/manifest/1";

struct RoleRow {
  Role role;
  std::string_view name, folder;  // a folder, or one file
};
constexpr std::array<RoleRow, 10> kRoles = {{{Role::kCandidate, "candidate", "candidate/"},
                                             {Role::kModule, "module", "modules/"},
                                             {Role::kEnvironment, "environment", "environment.json"},
                                             {Role::kEstimate, "estimate", "estimate/"},
                                             {Role::kSimulated, "simulated", "simulated/"},
                                             {Role::kCompiled, "compiled", "compiled/"},
                                             {Role::kExecuted, "executed", "executed/"},
                                             {Role::kArray, "array", "arrays/"},
                                             {Role::kPicture, "picture", "pictures/"},
                                             {Role::kDifference, "difference", "difference/"}}};

const RoleRow& RowOf(Role role) { return *std::find_if(kRoles.begin(), kRoles.end(), [&](const RoleRow& row) { return row.role == role; }); }

// The receipts' places are always there, so that an empty list says: none.
Json TiersJson(const std::vector<FileEntry>& files) {
  Json tiers = {{"estimate", Json::array()}, {"simulated", Json::array()}, {"compiled", Json::array()}, {"executed", Json::array()}};
  for (const FileEntry& file : files) {
    if (const auto tier = tiers.find(std::string(Name(file.role))); tier != tiers.end()) tier->push_back(file.path);
  }
  return tiers;
}

Json Body(const Manifest& manifest) {
  Json files = Json::array();
  for (const FileEntry& file : manifest.files) files.push_back({{"path", file.path}, {"role", Name(file.role)}, {"size", file.size}, {"sha256", file.sha256}});
  Json body = {{"schema", kFormat}, {"kernel_audit", manifest.version}, {"command", manifest.command}, {"files", files}, {"documents", TiersJson(manifest.files)}};
  if (!manifest.repairs.empty()) body["repairs"] = manifest.repairs;
  return body;
}

std::string TextOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool IsSha256(const std::string& text) { return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos; }

core::Result<FileEntry> ReadEntry(const Json& json) {
  if (!json.is_object()) return Fail(ErrorCode::kBadInput, "an entry of \"files\" is no object");
  FileEntry entry;
  entry.path = TextOf(json, "path");
  const std::string shown = core::Printable(entry.path, 200);
  const auto role = RoleFromName(TextOf(json, "role"));
  if (!role) return Fail(ErrorCode::kBadInput, shown + ": its role is none that there is");
  entry.role = *role;
  if (!IsPathOf(*role, entry.path)) return Fail(ErrorCode::kBadInput, shown + ": this is no place for a file of the role " + std::string(Name(*role)));
  if (!json.contains("size") || !json["size"].is_number_unsigned()) return Fail(ErrorCode::kBadInput, shown + ": has no size");
  entry.size = json["size"].get<std::uint64_t>();
  entry.sha256 = TextOf(json, "sha256");
  if (!IsSha256(entry.sha256)) return Fail(ErrorCode::kBadInput, shown + ": has no SHA-256");
  return entry;
}

core::Result<std::vector<FileEntry>> ReadEntries(const Json& document) {
  std::vector<FileEntry> files;
  if (!document.contains("files") || !document["files"].is_array()) return Fail(ErrorCode::kBadInput, "has no list of files");
  for (const Json& each : document["files"]) {
    auto entry = ReadEntry(each);
    if (!entry) return tl::unexpected(std::move(entry.error()));
    if (!files.empty() && files.back().path == entry->path) return Fail(ErrorCode::kBadInput, core::Printable(entry->path, 200) + " is listed twice");
    if (!files.empty() && files.back().path > entry->path) return Fail(ErrorCode::kBadInput, core::Printable(entry->path, 200) + " is not in its place: files are listed by path");
    files.push_back(std::move(*entry));
  }
  return files;
}

}  // namespace

std::string_view Name(Role role) { return RowOf(role).name; }

std::optional<Role> RoleFromName(std::string_view name) {
  const auto found = std::find_if(kRoles.begin(), kRoles.end(), [&](const RoleRow& row) { return row.name == name; });
  return found == kRoles.end() ? std::nullopt : std::optional(found->role);
}

bool IsPathOf(Role role, std::string_view path) {
  const std::string_view folder = RowOf(role).folder;
  if (!folder.ends_with('/')) return path == folder;
  if (!path.starts_with(folder) || path.size() > 240 || core::Printable(std::string(path)) != path) return false;
  const std::string_view name = path.substr(folder.size());
  return !name.empty() && name != "." && name != ".." && name.find_first_of("/\\") == std::string_view::npos;
}

std::string Manifest::Digest() const { return core::Sha256(core::CanonicalJson(Body(*this))); }

std::string Manifest::Text() const {
  Json body = Body(*this);
  body["sha256"] = Digest();
  return core::CanonicalJson(body) + "\n";
}

core::Result<Manifest> ParseManifest(const std::string& text) {
  const auto document = core::ParseCanonicalJson(text);
  if (!document) return tl::unexpected(document.error());
  if (!document->is_object() || TextOf(*document, "schema") != kFormat) return Fail(ErrorCode::kBadInput, "is no manifest of the kind that this version reads");
  Manifest manifest;
  manifest.version = TextOf(*document, "kernel_audit");
  manifest.repairs = TextOf(*document, "repairs");
  if (!document->contains("command") || !(*document)["command"].is_array()) return Fail(ErrorCode::kBadInput, "has no command");
  for (const Json& word : (*document)["command"]) {
    if (!word.is_string()) return Fail(ErrorCode::kBadInput, "its command is no list of words");
    manifest.command.push_back(word.get<std::string>());
  }
  auto files = ReadEntries(*document);
  if (!files) return tl::unexpected(std::move(files.error()));
  manifest.files = std::move(*files);
  if (TextOf(*document, "sha256") != manifest.Digest()) return Fail(ErrorCode::kBadInput, "was changed: its digest is not that of what it lists");
  // Whatever else stands in it was not written by this program.
  if (manifest.Text() != text) return Fail(ErrorCode::kBadInput, "was changed: it says more or other things than its list");
  return manifest;
}

}  // namespace kernel_audit::evidence
