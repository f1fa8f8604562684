#include "kernel_audit/evidence/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <functional>

#include "kernel_audit/core/file.h"
#include "kernel_audit/evidence/bundle_reader.h"
#include "kernel_audit/evidence/bundle_writer.h"
#include "kernel_audit/evidence/derived.h"
#include "kernel_audit/evidence/evidence_testing.h"

namespace kernel_audit::evidence {
namespace {

namespace fs = std::filesystem;
using core::Json;
using ::testing::HasSubstr;

class BundleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("kernel-audit-bundle-test." + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // What is wrong with the bundle at `name`; empty: nothing.
  std::string Verify(const std::string& name = "b") const {
    const auto read = ReadBundle(folder_ / name);
    if (!read) return read.error().message;
    const auto follows = VerifyFigures(*read);
    return follows ? "" : follows.error().message;
  }
  void Write(const Bundle& bundle, const std::string& name = "b") const {
    const auto written = WriteBundle(folder_ / name, bundle);
    ASSERT_TRUE(written) << written.error().message;
  }
  static std::string Read(const fs::path& path) { return *core::ReadFile(path, 1 << 20); }
  static void Put(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  // The bundle with its manifest made anew, as somebody would who covers his traces.
  std::string VerifyDocument(const Json& document) {
    fs::remove_all(folder_ / "forged");
    Write(TestBundle(document), "forged");
    return Verify("forged");
  }

  fs::path folder_;
};

TEST_F(BundleTest, ReadsBackAsItWasWritten) {
  Write(TestBundle());
  EXPECT_EQ(Verify(), "");
  const auto read = ReadBundle(folder_ / "b");
  EXPECT_EQ(read->Manifest().Digest(), TestBundle().Manifest().Digest());
  EXPECT_EQ(read->files().size(), 5u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "no temporary folder is left";
}

TEST_F(BundleTest, TheSameBundleHasTheSameBytes) {
  Write(TestBundle(), "a");
  Write(TestBundle(), "b");
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "a")) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(Read(entry.path()), Read(folder_ / "b" / entry.path().lexically_relative(folder_ / "a")));
  }
}

TEST_F(BundleTest, EveryFlippedByteIsRefused) {
  Write(TestBundle());
  std::size_t flips = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "b")) {
    if (!entry.is_regular_file()) continue;
    const std::string whole = Read(entry.path());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const int flip : {0x01, 0x20, 0x80}) {
        std::string changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ flip);
        Put(entry.path(), changed);
        ASSERT_NE(Verify(), "") << entry.path() << " byte " << i << " xor " << flip;
        ++flips;
      }
    }
    Put(entry.path(), whole);
  }
  EXPECT_EQ(Verify(), "");
  EXPECT_GT(flips, 3000u);
}

TEST_F(BundleTest, FilesThatAreMissingExtraCutOrLinks) {
  const auto with = [&](const std::function<void(const fs::path&)>& change) {
    fs::remove_all(folder_ / "b");
    Write(TestBundle());
    change(folder_ / "b");
    return Verify();
  };
  EXPECT_THAT(with([](const fs::path& b) { fs::remove(b / "environment.json"); }), HasSubstr("environment.json is missing"));
  EXPECT_THAT(with([](const fs::path& b) { fs::remove(b / "manifest.json"); }), HasSubstr("is no bundle: it has no manifest.json"));
  EXPECT_THAT(with([](const fs::path& b) { Put(b / "arrays" / "in1.npy", "x"); }), HasSubstr("in1.npy is not in the manifest"));
  EXPECT_THAT(with([](const fs::path& b) { fs::create_directory(b / "executed"); }), HasSubstr("executed is a folder that the manifest does not name"));
  EXPECT_THAT(with([](const fs::path& b) { fs::resize_file(b / "arrays" / "in0.npy", 100); }), HasSubstr("in0.npy was cut: it has 100 bytes"));
  EXPECT_THAT(with([](const fs::path& b) { fs::resize_file(b / "arrays" / "in0.npy", 200); }), HasSubstr("in0.npy was lengthened"));
  EXPECT_THAT(with([](const fs::path& b) { fs::resize_file(b / "manifest.json", 100); }), HasSubstr("manifest.json"));
  EXPECT_THAT(with([](const fs::path& b) {
                fs::rename(b / "arrays" / "in0.npy", b.parent_path() / "elsewhere.npy");
                fs::create_symlink(b.parent_path() / "elsewhere.npy", b / "arrays" / "in0.npy");
              }),
              HasSubstr("in0.npy is a symbolic link"));
  EXPECT_THAT(with([](const fs::path& b) { fs::rename(b / "arrays" / "in0.npy", b / "arrays" / "x.npy"); }), HasSubstr("in0.npy is missing"));
  EXPECT_THAT(with([](const fs::path& b) {
                fs::rename(b / "simulated", b / "executed");
              }),
              HasSubstr("executed is a folder that the manifest does not name"));
}

TEST_F(BundleTest, FilesOfAnotherBundle) {
  Write(TestBundle(3), "b");
  Write(TestBundle(4), "older");
  for (const char* path : {"simulated/run.json", "arrays/out0.npy"}) {
    const std::string whole = Read(folder_ / "b" / path);
    Put(folder_ / "b" / path, Read(folder_ / "older" / path));
    EXPECT_THAT(Verify(), HasSubstr("is not the file that was recorded")) << path;
    Put(folder_ / "b" / path, whole);
  }
  Put(folder_ / "b" / "manifest.json", Read(folder_ / "older" / "manifest.json"));
  EXPECT_THAT(Verify(), HasSubstr("is not the file that was recorded"));
}

TEST_F(BundleTest, AManifestThatIsNotOurs) {
  Write(TestBundle());
  const std::string whole = Read(folder_ / "b" / "manifest.json");
  const auto with = [&](const std::function<void(Json&)>& change) {
    Json manifest = *core::ParseJson(whole);
    change(manifest);
    manifest.erase("sha256");
    manifest["sha256"] = core::Sha256(core::CanonicalJson(manifest));
    Put(folder_ / "b" / "manifest.json", core::CanonicalJson(manifest) + "\n");
    return Verify();
  };
  EXPECT_EQ(with([](Json&) {}), "");
  EXPECT_THAT(with([](Json& m) { std::swap(m["files"][0], m["files"][1]); }), HasSubstr("is not in its place: files are listed by path"));
  EXPECT_THAT(with([](Json& m) { m["files"].insert(m["files"].begin(), m["files"][0]); }), HasSubstr("is listed twice"));
  EXPECT_THAT(with([](Json& m) { m["files"][0]["path"] = "../in0.npy"; }), HasSubstr("no place for a file of the role array"));
  EXPECT_THAT(with([](Json& m) { m["files"][0]["path"] = "arrays/../../in0.npy"; }), HasSubstr("no place for"));
  EXPECT_THAT(with([](Json& m) { m["files"][0]["path"] = "arrays/.."; }), HasSubstr("no place for"));
  EXPECT_THAT(with([](Json& m) { m["files"].back()["role"] = "executed"; }), HasSubstr("no place for a file of the role executed"));
  EXPECT_THAT(with([](Json& m) { m["files"][0]["role"] = "receipt"; }), HasSubstr("its role is none that there is"));
  EXPECT_THAT(with([](Json& m) { m["files"][0]["size"] = -1; }), HasSubstr("has no size"));
  EXPECT_THAT(with([](Json& m) { m["more"] = 1; }), HasSubstr("its digest is not that of what it lists"));
  EXPECT_THAT(with([](Json& m) { m["files"][0]["more"] = 1; }), HasSubstr("its digest"));
  EXPECT_THAT(with([](Json& m) { m["documents"]["executed"] = {"simulated/run.json"}; }), HasSubstr("its digest"));
  EXPECT_THAT(with([](Json& m) { m.erase("files"); }), HasSubstr("has no list of files"));
  for (const char* text : {"", "{", "null", "[]", "{}", "\xff"}) {
    Put(folder_ / "b" / "manifest.json", text);
    EXPECT_THAT(Verify(), HasSubstr("manifest.json")) << text;
  }
}

TEST_F(BundleTest, ADocumentOfAnotherTierIsRefusedEvenWithANewManifest) {
  Bundle bundle("1", {});
  Json document = TestRun(3);
  Write(TestBundle(document));
  document["tier"] = "executed";
  document["schema"] = "kernel-audit/executed/1";
  const std::string text = core::CanonicalJson(document) + "\n";
  Json manifest = *core::ParseJson(Read(folder_ / "b" / "manifest.json"));
  manifest["files"].back()["sha256"] = core::Sha256(text);
  manifest["files"].back()["size"] = text.size();
  manifest.erase("sha256");
  manifest["sha256"] = core::Sha256(core::CanonicalJson(manifest));
  Put(folder_ / "b" / "simulated" / "run.json", text);
  Put(folder_ / "b" / "manifest.json", core::CanonicalJson(manifest) + "\n");
  EXPECT_THAT(Verify(), HasSubstr("stands where a document of the tier simulated belongs"));
}

TEST_F(BundleTest, FiguresThatDoNotFollowAreRefusedEvenWithANewManifest) {
  const auto with = [&](const std::function<void(Json&)>& change) {
    Json document = TestRun(3);
    change(document);
    return VerifyDocument(document);
  };
  EXPECT_EQ(with([](Json&) {}), "");
  EXPECT_THAT(with([](Json& d) { d["verdict"] = "findings"; }), HasSubstr("says verdict is \"findings\", and \"clean\" follows"));
  EXPECT_THAT(with([](Json& d) { d["findings"].push_back({{"kind", "race"}}); }), HasSubstr("says verdict is \"clean\", and \"findings\" follows"));
  EXPECT_THAT(with([](Json& d) { d["kernels"][0]["programs"] = 7; }), HasSubstr("says programs is 7, and 6 follows"));
  EXPECT_THAT(with([](Json& d) { d["module_sha256"] = std::string(64, '0'); }), HasSubstr("is about a module that is not in the bundle"));
  EXPECT_THAT(with([](Json& d) { d["output_sha256"][0] = std::string(64, '0'); }), HasSubstr("names arrays/out0.npy with elements that it does not hold"));
  EXPECT_THAT(with([](Json& d) { d["output_sha256"].push_back(std::string(64, '0')); }), HasSubstr("names the array arrays/out1.npy, which is not in the bundle"));
  EXPECT_THAT(with([](Json& d) { d.erase("kernels"); }), HasSubstr("has not the form of its schema"));
  EXPECT_THAT(with([](Json& d) { d["subject"] = "opinion"; }), HasSubstr("is about opinion"));
}

TEST_F(BundleTest, ModelledBuffersFollowFromTheirFormula) {
  const auto with = [&](const Json& buffers) {
    fs::remove_all(folder_ / "b");
    Bundle bundle("1", {});
    bundle.Add("buffers", EstimateClaim({}, {{"buffers", {buffers}}}));
    Write(bundle);
    return Verify();
  };
  Json buffers = {{"dtype", "float32"}, {"block", {8, 128}}, {"block_bytes", 4096}, {"input_slots", 2}, {"output_slots", 2}, {"bytes", 24576}};
  EXPECT_EQ(with(buffers), "");
  buffers["bytes"] = 32768;
  EXPECT_THAT(with(buffers), HasSubstr("says bytes is 32768, and 24576 follows"));
  buffers["input_slots"] = 3;
  EXPECT_EQ(with(buffers), "");
  buffers["dtype"] = "bfloat16";
  EXPECT_THAT(with(buffers), HasSubstr("says block_bytes is 4096, and 2048 follows"));
}

TEST_F(BundleTest, NothingIsWrittenOverAnything) {
  fs::create_directory(folder_ / "there");
  Put(folder_ / "file", "mine");
  fs::create_symlink("nowhere", folder_ / "link");
  for (const char* name : {"there", "file", "link"}) {
    const auto written = WriteBundle(folder_ / name, TestBundle());
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(written.error().code, core::ErrorCode::kBadInput);
    EXPECT_THAT(written.error().message, HasSubstr("exists already"));
  }
  EXPECT_EQ(Read(folder_ / "file"), "mine");
  EXPECT_THAT(WriteBundle(folder_ / "file" / "below", TestBundle()).error().message, HasSubstr("is no folder that a bundle could be written into"));
  EXPECT_THAT(WriteBundle(folder_ / ".", TestBundle()).error().message, HasSubstr("names no new folder"));
  EXPECT_TRUE(WriteBundle(folder_ / "slash/", TestBundle()));
  EXPECT_EQ(Verify("slash"), "");
}

TEST_F(BundleTest, AFileThatHasNoPlaceIsABug) {
  Bundle bundle("1", {});
  EXPECT_THROW(bundle.Add(Role::kExecuted, "executed/a.json", "{}"), core::InternalError);
  EXPECT_THROW(bundle.Add(Role::kArray, "a.npy", ""), core::InternalError);
  bundle.Add(Role::kArray, "arrays/a.npy", "");
  EXPECT_THROW(bundle.Add(Role::kArray, "arrays/a.npy", ""), core::InternalError);
}

}  // namespace
}  // namespace kernel_audit::evidence
