// What this machine can do, for the limits in docs/performance.md: bytes a second that go through memory, pages a second that are touched for
// the first time, float32 operations a second. One JSON document. `measure_machine THREADS`: by as many threads at once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/measure_machine.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace measure {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 12 chains of FMA, enough to hide its latency. Returns what was computed, so that it is.
float MultiplyAdds(long rounds) {
  const hn::ScalableTag<float> d;
  auto a0 = hn::Set(d, 1.0f), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0, a8 = a0, a9 = a0, a10 = a0, a11 = a0;
  const auto x = hn::Set(d, 0.999f), y = hn::Set(d, 0.001f);
  for (long i = 0; i < rounds; ++i) {
    a0 = hn::MulAdd(a0, x, y); a1 = hn::MulAdd(a1, x, y); a2 = hn::MulAdd(a2, x, y); a3 = hn::MulAdd(a3, x, y);
    a4 = hn::MulAdd(a4, x, y); a5 = hn::MulAdd(a5, x, y); a6 = hn::MulAdd(a6, x, y); a7 = hn::MulAdd(a7, x, y);
    a8 = hn::MulAdd(a8, x, y); a9 = hn::MulAdd(a9, x, y); a10 = hn::MulAdd(a10, x, y); a11 = hn::MulAdd(a11, x, y);
  }
  const auto all = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(hn::Add(a4, a5), hn::Add(a6, hn::Add(a7, hn::Add(a8, hn::Add(a9, hn::Add(a10, a11)))))));
  return hn::GetLane(hn::SumOfLanes(d, all));
}

// 2 * lanes * chains.
long OperationsARound() { return 2 * 12 * static_cast<long>(hn::Lanes(hn::ScalableTag<float>())); }

// to = a + b.
void Triad(float* to, const float* a, const float* b, unsigned long n) {
  const hn::ScalableTag<float> d;
  const unsigned long lanes = hn::Lanes(d);
  for (unsigned long i = 0; i + lanes <= n; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
}

// The same, past the caches; `to` aligned to a vector.
void TriadStreaming(float* to, const float* a, const float* b, unsigned long n) {
  const hn::ScalableTag<float> d;
  const unsigned long lanes = hn::Lanes(d);
  for (unsigned long i = 0; i + lanes <= n; i += lanes) hn::Stream(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
}

float Sum(const float* a, unsigned long n) {
  const hn::ScalableTag<float> d;
  const unsigned long lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (unsigned long i = 0; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = hn::Add(s0, hn::LoadU(d, a + i));
    s1 = hn::Add(s1, hn::LoadU(d, a + i + lanes));
    s2 = hn::Add(s2, hn::LoadU(d, a + i + 2 * lanes));
    s3 = hn::Add(s3, hn::LoadU(d, a + i + 3 * lanes));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

}  // namespace HWY_NAMESPACE
}  // namespace measure
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace measure {
namespace {

HWY_EXPORT(MultiplyAdds);
HWY_EXPORT(OperationsARound);
HWY_EXPORT(Triad);
HWY_EXPORT(TriadStreaming);
HWY_EXPORT(Sum);

constexpr unsigned long kElements = 1ul << 26;  // 256 MiB
volatile float sink;

// The best of several: what the machine can do when nobody else is busy.
double Seconds(int threads, const std::function<void(int)>& work) {
  double best = 1e30;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
    work(0);
    for (std::thread& other : others) other.join();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

float* FreshPages() {
  void* memory = mmap(nullptr, kElements * sizeof(float), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::exit(1);
  return static_cast<float*>(memory);
}

double FreshPageSeconds(int threads) {
  const unsigned long each = kElements / static_cast<unsigned long>(threads);
  double best = 1e30;
  for (int repeat = 0; repeat < 3; ++repeat) {
    float* memory = FreshPages();
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([=] {
        for (unsigned long i = 0; i < each; i += 1024) memory[static_cast<unsigned long>(t) * each + i] = 1;
      });
    }
    for (std::thread& each_thread : all) each_thread.join();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    munmap(memory, kElements * sizeof(float));
  }
  return best / static_cast<double>(kElements / 1024);
}

void Print(int threads) {
  float *a = FreshPages(), *b = FreshPages(), *c = FreshPages();
  std::fill_n(a, kElements, 1.0f);
  std::fill_n(b, kElements, 2.0f);
  std::fill_n(c, kElements, 3.0f);
  const unsigned long each = kElements / static_cast<unsigned long>(threads);
  const double bytes = kElements * sizeof(float);
  const auto at = [each](int t) { return static_cast<unsigned long>(t) * each; };
  const double read = Seconds(threads, [&](int t) { sink = HWY_DYNAMIC_DISPATCH(Sum)(a + at(t), each); });
  const double triad = Seconds(threads, [&](int t) { HWY_DYNAMIC_DISPATCH(Triad)(c + at(t), a + at(t), b + at(t), each); });
  const double streamed = Seconds(threads, [&](int t) { HWY_DYNAMIC_DISPATCH(TriadStreaming)(c + at(t), a + at(t), b + at(t), each); });
  constexpr long kRounds = 20'000'000;
  const double flops = Seconds(threads, [](int) { sink = HWY_DYNAMIC_DISPATCH(MultiplyAdds)(kRounds); });
  const double operations = static_cast<double>(threads) * static_cast<double>(kRounds) * static_cast<double>(HWY_DYNAMIC_DISPATCH(OperationsARound)());
  std::printf("{\"threads\": %d, \"read_gb_s\": %.1f, \"triad_gb_s\": %.1f, \"triad_streaming_gb_s\": %.1f, \"fresh_page_ns\": %.0f, \"gflop_s\": %.0f}\n", threads,
              bytes / read / 1e9, 3 * bytes / triad / 1e9, 3 * bytes / streamed / 1e9, FreshPageSeconds(threads) * 1e9, operations / flops / 1e9);
}

}  // namespace
}  // namespace measure

int main(int argc, char** argv) { measure::Print(argc > 1 ? std::max(1, std::atoi(argv[1])) : 1); }
#endif
