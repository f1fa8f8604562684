#include "kernel_audit/core/json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

namespace kernel_audit::core {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(std::string_view text) {
  const Result<Json> document = ParseJson(text);
  return document ? "parsed as " + document->dump() : document.error().message;
}

TEST(CanonicalJson, SortsAndEscapes) {
  const Json document = {{"b", {1, -2, true}}, {"a", "t\xC3\xA4g \xF0\x9D\x84\x9E \"\\\n"}, {"B", Json::object()}};
  EXPECT_EQ(CanonicalJson(document), R"({"B":{},"a":"t\u00e4g \ud834\udd1e \"\\\n","b":[1,-2,true]})");
  EXPECT_EQ(CanonicalJson("\xff"), R"("\ufffd")");
  EXPECT_EQ(CanonicalJson(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(CanonicalJson, RefusesWhatIsNotCanonical) {
  EXPECT_THROW(CanonicalJson(1.5), InternalError);
  EXPECT_THROW(CanonicalJson({{"a", {1, 2.0}}}), InternalError);
  EXPECT_THROW(CanonicalJson(Json::array({nullptr})), InternalError);
  EXPECT_THROW(CanonicalJson(Json{{"\xC3\xA4", 1}}), InternalError);
  EXPECT_THROW(CanonicalJson(Json::binary({1})), InternalError);
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  const Result<Json> document = ParseJson(R"( {"a": [1, -1, 2.5, true, null, "\u00e4"], "b": {}} )");
  ASSERT_TRUE(document);
  EXPECT_EQ(*document, (Json{{"a", {1, -1, 2.5, true, nullptr, "\xC3\xA4"}}, {"b", Json::object()}}));
  EXPECT_EQ(ParseJson("7").value(), 7);
}

TEST(ParseJson, SaysWhatIsWrong) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1", "nul", "\"\xff\"", "[1] 2", "1e999", "\"\\ud800\"", "{1:2}"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("not JSON at byte")) << text;
  }
  EXPECT_THAT(ErrorOf(R"({"a":1,"b":{"a":1},"a":2})"), HasSubstr(R"(the key "a" is there twice)"));
}

TEST(ParseJson, HoldsItsLimits) {
  EXPECT_TRUE(ParseJson(std::string(64, '[') + std::string(64, ']')));
  EXPECT_THAT(ErrorOf(std::string(65, '[') + std::string(65, ']')), HasSubstr("deeper than 64"));
  EXPECT_THAT(ErrorOf(std::string(10'000'000, '[')), HasSubstr("deeper than 64"));
  EXPECT_FALSE(ParseJson("[1]", {.bytes = 2}));
}

TEST(ParseJson, SurvivesFlippedAndMissingBytes) {
  const std::string original = R"({"a":[1,-2,true,"\u00e4\n"],"b":{"c":"d","e":[[],{}]},"f":"0x1.8p+1"})";
  std::mt19937 random(7);
  for (int i = 0; i < 10'000; ++i) {
    std::string text = original.substr(0, i % 2 == 0 ? original.size() : random() % original.size() + 1);
    text[random() % text.size()] = static_cast<char>(random());
    const Result<Json> document = ParseJson(text);
    if (!document) {
      EXPECT_EQ(document.error().message.find('\n'), std::string::npos);
    }
  }
}

TEST(ParseCanonicalJson, TakesOnlyTheCanonicalText) {
  const std::string text = R"({"a":1,"b":["\u00e4"]})";
  EXPECT_EQ(CanonicalJson(ParseCanonicalJson(text).value()), text);
  EXPECT_TRUE(ParseCanonicalJson(text + "\n"));
  for (const char* other : {R"({"b":1,"a":1})", R"({"a": 1})", R"({"a":1.5})", R"({"a":null})", "\"\xC3\xA4\"", "-0", "1\n\n", "\"\\u00E4\""}) {
    const Result<Json> document = ParseCanonicalJson(other);
    ASSERT_FALSE(document) << other;
    EXPECT_THAT(document.error().message, HasSubstr("not canonical JSON")) << other;
  }
}

TEST(HexFloat, IsExact) {
  EXPECT_EQ(HexFloat(3.0), "0x1.8p+1");
  EXPECT_EQ(HexFloat(0.1), "0x1.999999999999ap-4");
  EXPECT_EQ(HexFloat(-0.0), "-0x0p+0");
  EXPECT_EQ(HexFloat(-INFINITY), "-inf");
  EXPECT_EQ(HexFloat(-NAN), "nan");
  for (double value : {0.0, 1.0078125, -2.5, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, double{0.1f}, HUGE_VAL}) {
    EXPECT_EQ(ParseHexFloat(HexFloat(value)).value(), value) << HexFloat(value);
  }
  EXPECT_TRUE(std::signbit(ParseHexFloat("-0x0p+0").value()));
  EXPECT_TRUE(std::isnan(ParseHexFloat("nan").value()));
}

TEST(HexFloat, HasOneSpelling) {
  for (const char* text : {"", "1", "0x", "0x1", "1.8p+1", "0x1.80p+1", "0X1.8P+1", " 0x1.8p+1", "0x1.8p+1 ", "-nan", "+inf", "0x1p+9999", "--0x1p+0"}) {
    EXPECT_FALSE(ParseHexFloat(text)) << text;
  }
}

}  // namespace
}  // namespace kernel_audit::core
