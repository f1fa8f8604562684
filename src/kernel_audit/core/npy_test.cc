#include "kernel_audit/core/npy.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "kernel_audit/core/file.h"

namespace kernel_audit::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string File(std::string dictionary, std::string_view data, char version = 1) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
  return file + dictionary + std::string(data);
}

std::string Entry(std::string_view descr, std::string_view shape, std::string_view fortran = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(fortran) + ", 'shape': " + std::string(shape) + ", }\n";
}

Result<HostArray> Parse(std::string_view file) { return ParseNpy(AsBytes(file)); }

std::string ErrorOf(std::string_view file) {
  const Result<HostArray> array = Parse(file);
  return array ? "parsed as " + ToString(array->type()) : array.error().message;
}

class NpyFile : public ::testing::Test {
 protected:
  NpyFile() { std::filesystem::create_directory(folder_); }
  ~NpyFile() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) / ("npy_" + std::to_string(::getpid()));
};

TEST(Npy, ReadsEveryElementType) {
  const std::pair<const char*, DType> kinds[] = {{"|b1", DType::kBool},   {"|i1", DType::kInt8},   {"<i2", DType::kInt16},   {"<i4", DType::kInt32},
                                                 {"<i8", DType::kInt64},  {"|u1", DType::kUInt8},  {"<u2", DType::kUInt16},  {"<u4", DType::kUInt32},
                                                 {"<u8", DType::kUInt64}, {"<f2", DType::kFloat16}, {"<f4", DType::kFloat32}, {"<f8", DType::kFloat64}};
  for (const auto& [descr, dtype] : kinds) {
    const Result<HostArray> array = Parse(File(Entry(descr, "(2, 3)"), std::string(6 * ByteSize(dtype), '\1')));
    ASSERT_TRUE(array) << descr << array.error().message;
    EXPECT_EQ(array->type(), (ArrayType{dtype, {2, 3}}));
  }
}

TEST(Npy, ReadsRanksVersionsAndSpellings) {
  EXPECT_EQ(Parse(File(Entry("<i4", "()"), "abcd"))->shape(), Shape{});
  EXPECT_EQ(Parse(File(Entry("<i4", "(1,)"), "abcd"))->shape(), Shape{1});
  EXPECT_EQ(Parse(File(Entry("<i4", "(0, 7)"), ""))->shape(), (Shape{0, 7}));
  EXPECT_EQ(Parse(File(Entry("<i4", "(1,)"), "abcd", 2))->shape(), Shape{1});
  EXPECT_EQ(Parse(File(Entry("<i4", "(1,)"), "abcd", 3))->shape(), Shape{1});
  EXPECT_EQ(Parse(File("{\"shape\":(1,),\"descr\":\"<i4\",\"fortran_order\":False}", "abcd"))->shape(), Shape{1});
  EXPECT_EQ(Parse(File(std::string(100'000, ' ') + Entry("<i4", "(1,)"), "abcd", 2))->shape(), Shape{1});
}

TEST(Npy, LaysFortranOrderOutAnew) {
  const Result<HostArray> array = Parse(File(Entry("|u1", "(2, 3, 2)", "True"), "abcdefghijkl"));
  ASSERT_TRUE(array);
  const auto bytes = array->elements<char>();
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "agciekbhdjfl");
}

TEST(Npy, SaysWhatItDoesNotSupport) {
  EXPECT_THAT(ErrorOf(File(Entry(">f4", "(1,)"), "abcd")), HasSubstr("big-endian"));
  EXPECT_THAT(ErrorOf(File(Entry("|O", "(1,)"), "abcd")), HasSubstr("pickled"));
  EXPECT_THAT(ErrorOf(File(Entry("<V2", "(1,)"), "ab")), HasSubstr("view(numpy.uint16)"));
  EXPECT_THAT(ErrorOf(File(Entry("<U3", "(1,)"), "abcdabcdabcd")), HasSubstr("not a bool, integer or float"));
  EXPECT_THAT(ErrorOf(File("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n", "abcd")), HasSubstr("structures"));
  EXPECT_THAT(ErrorOf(File(Entry("<f4", "(1,)"), "abcd", 4)), HasSubstr("version"));
  EXPECT_THAT(ErrorOf("PK\x03\x04"), HasSubstr(".npz"));
}

TEST(Npy, RefusesBadShapes) {
  for (const char* shape : {"(-1,)", "(3)", "3", "(1", "(1,,)", "(1.0,)", "(1L,)", "(99999999999999999999,)", "[1]", "('a',)", "(1 2)"}) {
    EXPECT_THAT(ErrorOf(File(Entry("<f4", shape), "abcd")), StartsWith("not a valid .npy file: ")) << shape;
  }
  EXPECT_THAT(ErrorOf(File(Entry("<f4", "(9223372036854775807, 2)"), "abcd")), HasSubstr("is larger than"));
  EXPECT_THAT(ErrorOf(File(Entry("<f8", "(2147483648, 2)"), "abcd")), HasSubstr("is larger than"));
  std::string deep = "(";
  for (int i = 0; i < 33; ++i) deep += "1, ";
  EXPECT_THAT(ErrorOf(File(Entry("<f4", deep + ")"), "abcd")), HasSubstr("more than 32 dimensions"));
}

TEST(Npy, RefusesBadHeaders) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf("hello, world"), HasSubstr("NumPy's mark"));
  EXPECT_THAT(ErrorOf(File("{'descr': '<f4', 'shape': (1,), }", "abcd")), HasSubstr("lacks"));
  EXPECT_THAT(ErrorOf(File("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "abcd")), HasSubstr("twice"));
  EXPECT_THAT(ErrorOf(File("{'extra': 1, 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "abcd")), HasSubstr("unknown"));
  EXPECT_THAT(ErrorOf(File(Entry("<f4", "(1,)") + "x", "abcd")), HasSubstr("goes on"));
  EXPECT_THAT(ErrorOf(File(Entry("<f4", "(1,)", "Maybe"), "abcd")), HasSubstr("fortran_order"));
  EXPECT_THAT(ErrorOf(File(std::string(kMaxNpyHeaderBytes + 1, ' '), "", 2)), HasSubstr("longer than"));
  EXPECT_THAT(ErrorOf(File(Entry("|b1", "(3,)"), std::string("\0\1\2", 3))), HasSubstr("bool element 2 is 2"));
}

TEST(Npy, RefusesEveryTruncationAndAnExtraByte) {
  const std::string file = File(Entry("<f4", "(2, 3)"), std::string(24, 'x'));
  ASSERT_TRUE(Parse(file));
  for (std::size_t size = 0; size < file.size(); ++size) EXPECT_FALSE(Parse(std::string(file.substr(0, size)))) << size;
  EXPECT_THAT(ErrorOf(file + "x"), HasSubstr("the file has"));
}

TEST(Npy, SurvivesFlippedBytes) {
  const std::string original = File(Entry("<f4", "(2, 3)", "True"), std::string(24, 'x'));
  std::mt19937 random(7);
  int parsed = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string file = original;
    for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips) file[random() % file.size()] = static_cast<char>(random());
    const Result<HostArray> array = Parse(file);
    parsed += array.has_value();
    if (!array) {
      EXPECT_EQ(array.error().message.find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(parsed, 0);
  EXPECT_LT(parsed, 10'000);
}

TEST_F(NpyFile, ComesBackAsItWasWritten) {
  HostArray array({DType::kInt32, {2, 3}});
  for (int i = 0; i < 6; ++i) array.elements<std::int32_t>()[i] = i * 7;
  ASSERT_TRUE(WriteNpy(folder_ / "a.npy", array));
  const Result<HostArray> back = ReadNpy(folder_ / "a.npy");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->type(), array.type());
  EXPECT_THAT(back->elements<std::int32_t>(), ElementsAre(0, 7, 14, 21, 28, 35));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(NpyFile, HasAnAlignedHeaderAndTheUmasksMode) {
  const mode_t before = ::umask(022);
  ASSERT_TRUE(WriteNpy(folder_ / "a.npy", HostArray({DType::kFloat32, {}})));
  ::umask(before);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "a.npy"), 128u + 4);
  EXPECT_EQ(std::filesystem::status(folder_ / "a.npy").permissions(), std::filesystem::perms(0644));
}

TEST_F(NpyFile, StoresBFloat16AsBitPatterns) {
  ASSERT_TRUE(WriteNpy(folder_ / "a.npy", HostArray({DType::kBFloat16, {5}})));
  EXPECT_EQ(ReadNpy(folder_ / "a.npy")->dtype(), DType::kUInt16);
  EXPECT_EQ(WriteNpy(folder_ / "s.npy", HostArray({DType::kSemaphore, {1}})).error().code, ErrorCode::kUnsupported);
}

TEST_F(NpyFile, ReadsALongHeader) {
  std::ofstream(folder_ / "a.npy", std::ios::binary) << File(std::string(50'000, ' ') + Entry("<i4", "(1,)"), "abcd", 2);
  EXPECT_EQ(ReadNpy(folder_ / "a.npy")->shape(), Shape{1});
}

TEST_F(NpyFile, NamesThePathInEveryRefusal) {
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  std::ofstream(folder_ / "empty");
  std::ofstream(folder_ / "huge", std::ios::binary) << File(Entry("<f4", "(1000000, 1000)"), "abcd");
  for (const char* name : {"absent", "fifo", "empty", "huge", "."}) {
    const Result<HostArray> array = ReadNpy(folder_ / name);
    ASSERT_FALSE(array) << name;
    EXPECT_THAT(array.error().message, HasSubstr((folder_ / name).string()));
  }
}

TEST_F(NpyFile, LeavesNothingBehindWhenItCannotWrite) {
  std::filesystem::create_directory(folder_ / "taken");
  const HostArray array({DType::kFloat32, {1}});
  EXPECT_EQ(WriteNpy(folder_ / "taken", array).error().code, ErrorCode::kIo);
  EXPECT_EQ(WriteNpy(folder_ / "absent" / "a.npy", array).error().code, ErrorCode::kIo);
  EXPECT_EQ(WriteNpy(folder_ / "", array).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST(Reinterpret, KeepsTheBytes) {
  HostArray array({DType::kUInt16, {2}});
  array.elements<std::uint16_t>()[1] = 0x3f81;
  const std::byte* data = array.data();
  const Result<HostArray> seen = Reinterpret(std::move(array), DType::kBFloat16);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->type(), (ArrayType{DType::kBFloat16, {2}}));
  EXPECT_EQ(seen->data(), data);
  EXPECT_THAT(seen->elements<std::uint16_t>(), ElementsAre(0, 0x3f81));
}

TEST(Reinterpret, RefusesWhatIsNoView) {
  for (DType dtype : {DType::kFloat32, DType::kSemaphore}) EXPECT_FALSE(Reinterpret(HostArray({DType::kUInt16, {2}}), dtype));
  EXPECT_FALSE(Reinterpret(HostArray({DType::kUInt8, {2}}), DType::kBool));
}

}  // namespace
}  // namespace kernel_audit::core
