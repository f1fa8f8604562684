// What the tests of this layer share: the plugin under test, arrays, and the promise that every handle is given back.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kernel_audit/core/host_array.h"
#include "kernel_audit/pjrt/client.h"
#include "kernel_audit/pjrt/handle.h"
#include "kernel_audit/pjrt/plugin.h"

namespace kernel_audit::pjrt {

inline std::string PluginPath() {
  const char* other = std::getenv("KA_PJRT_PLUGIN");
  return other != nullptr ? other : KA_DEPS_DIR "/xla_cpu/pjrt_c_api_cpu_plugin.so";
}

class HandleTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(LiveHandles(), 0); }
};

// Skipped where the plugin is not installed.
class PluginTest : public HandleTest {
 protected:
  void SetUp() override {
    setenv("TPU_SKIP_MDS_QUERY", "1", 1);
    if (!std::filesystem::exists(PluginPath())) GTEST_SKIP() << "no PJRT plugin at " << PluginPath();
    auto loaded = Plugin::Load(PluginPath());
    ASSERT_TRUE(loaded) << loaded.error().ToString();
    plugin_.push_back(std::move(*loaded));
  }
  const Plugin& plugin() const { return plugin_.front(); }

  Client MakeClient(ClientOptions options = {}) const {
    auto client = Client::Create(plugin(), options);
    if (!client) throw std::runtime_error(client.error().ToString());
    return std::move(*client);
  }

 private:
  std::vector<Plugin> plugin_;
};

template <typename T>
core::HostArray MakeArray(core::DType dtype, core::Shape shape, const std::vector<T>& values) {
  core::HostArray array({dtype, std::move(shape)});
  EXPECT_EQ(array.byte_size(), values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(array.data(), values.data(), array.byte_size());
  return array;
}

template <typename T>
std::vector<T> Values(const core::HostArray& array) {
  return {array.elements<T>().begin(), array.elements<T>().end()};
}

// The value, or a test failure that shows the error and ends the test.
template <typename T>
T Unwrap(core::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  return std::move(*result);
}

// Arrays in, arrays out, on device 0.
inline core::Result<std::vector<core::HostArray>> RunOnce(const Client& client, const Executable& executable,
                                                          const std::vector<const core::HostArray*>& inputs) {
  std::vector<Buffer> buffers;
  std::vector<const Buffer*> arguments;
  for (const core::HostArray* input : inputs) buffers.push_back(Unwrap(client.FromHost(*input)));
  for (const Buffer& buffer : buffers) arguments.push_back(&buffer);
  auto outputs = executable.Execute(arguments);
  if (!outputs) return tl::unexpected(std::move(outputs.error()));
  std::vector<core::HostArray> arrays;
  for (const Buffer& output : *outputs) arrays.push_back(Unwrap(output.ToHost()));
  return arrays;
}

}  // namespace kernel_audit::pjrt
