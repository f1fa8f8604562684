#include "kernel_audit/cli/answer.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernel_audit::cli {
namespace {

using core::ErrorCode;
using Answer = core::Result<std::string>;
using ::testing::HasSubstr;

Answer Ask(const std::function<Answer()>& work, int seconds = 60) { return AnswerOfChild("the work", std::chrono::seconds(seconds), work); }

TEST(AnswerOfChild, GivesBackAnswersOfAnySizeAndBytes) {
  for (const std::string& text : {std::string(), std::string("{}\n\n"), std::string("\0+\n", 3), std::string(3 << 20, 'x')}) {
    const Answer answer = Ask([&]() -> Answer { return text; });
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(*answer, text);
  }
}

TEST(AnswerOfChild, GivesBackErrorsOfEachKind) {
  for (const ErrorCode code : {ErrorCode::kBadInput, ErrorCode::kUnsupported, ErrorCode::kRefused, ErrorCode::kFailed, ErrorCode::kPlugin, ErrorCode::kIo}) {
    const Answer answer = Ask([&]() -> Answer { return core::Fail(code, "no"); });
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, code);
    EXPECT_EQ(answer.error().message, "no");
  }
}

TEST(AnswerOfChild, AnEndWithoutAnAnswerIsALine) {
  EXPECT_THAT(Ask([]() -> Answer { std::raise(SIGKILL); return ""; }).error().message, HasSubstr("the work was ended by signal 9"));
  EXPECT_THAT(Ask([]() -> Answer { _exit(0); }).error().message, HasSubstr("the work ended with status 0 before it had an answer"));
  EXPECT_EQ(Ask([]() -> Answer { _exit(9); }).error().code, ErrorCode::kPlugin);
  EXPECT_THROW(Ask([]() -> Answer { throw core::InternalError("planted"); }), core::InternalError);
}

TEST(AnswerOfChild, AHangIsEnded) {
  const Answer answer = Ask([]() -> Answer { while (true) pause(); }, 1);
  EXPECT_EQ(answer.error().code, ErrorCode::kFailed);
  EXPECT_THAT(answer.error().message, HasSubstr("longer than its 1 s"));
}

}  // namespace
}  // namespace kernel_audit::cli
