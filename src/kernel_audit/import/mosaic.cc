#include "kernel_audit/import/mosaic.h"

#include "kernel_audit/import/attribute_reader.h"
#include "kernel_audit/import/bytecode.h"
#include "kernel_audit/import/operation_parser.h"
#include "kernel_audit/import/region_builder.h"
#include "kernel_audit/import/window_params.h"

namespace kernel_audit::import {
namespace {

using core::ErrorCode;

core::Result<MlirModule> ReadBody(const KernelCall& call) {
  const std::string what = "kernel '" + call.name + "'";
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(call.body.data()), call.body.size());
  return IsMlirBytecode(bytes) ? ParseMlirBytecode(bytes, what) : ParseMlirText(call.body, what);
}

// Versions up to kNewestMosaicVersion differ, for the operations of ops.def, in nothing that is read here. What a version adds is
// refused where it is used: by the operation's name or the attribute's.
core::Result<void> CheckVersion(const Operation& module, const std::string& kernel) {
  const Attribute* version = module.attributes->Find("stable_mosaic.version");
  if (version == nullptr) return {};
  if (version->kind != Attribute::Kind::kInteger || version->integer < 1) {
    return core::Fail(ErrorCode::kBadInput, "kernel '" + kernel + "': stable_mosaic.version is not a positive integer");
  }
  if (version->integer > kNewestMosaicVersion) {
    return core::Fail(ErrorCode::kUnsupported, "kernel '" + kernel + "': Mosaic version " + std::to_string(version->integer) +
                                                   "; versions up to " + std::to_string(kNewestMosaicVersion) + " are read");
  }
  return {};
}

class KernelReader {
 public:
  KernelReader(const KernelCall& call, const MlirModule& module, ir::Kernel& kernel)
      : call_(call), module_(module), kernel_(kernel), builder_(module, kernel) {}

  core::Result<void> Read() {
    const Operation& top = module_.top;
    if (PlainName(top) != "builtin.module" || top.regions.size() != 1 || top.regions[0].blocks.size() != 1) {
      return Fail("its body is not one builtin.module");
    }
    if (auto version = CheckVersion(top, call_.name); !version) return version;
    main_ = Main();
    if (main_ == nullptr) return Fail("its body has no function 'main', nor one other that has dimension_semantics");
    auto body = builder_.Build(main_->regions[0], main_->location);
    if (!body) return tl::unexpected(body.error());
    kernel_.body = *body;
    kernel_.location = main_->location;
    return ReadMain(*main_);
  }

 private:
  tl::unexpected<core::Error> Fail(const std::string& message) const {
    return core::Fail(ErrorCode::kBadInput, "kernel '" + call_.name + "': " + message);
  }

  static bool IsFunction(const Operation& operation) { return PlainName(operation) == "func.func" && operation.regions.size() == 1; }

  // The kernel's function: 'main' up to version 10 of Mosaic; newer ones give it the kernel's own name, and it alone has a grid.
  const Operation* Main() const {
    if (const Operation* main = Function("main")) return main;
    const Operation* found = nullptr;
    for (const Operation& operation : module_.top.regions[0].blocks[0].operations) {
      if (!IsFunction(operation) || operation.attributes->Find("dimension_semantics") == nullptr) continue;
      if (found != nullptr) return nullptr;
      found = &operation;
    }
    return found;
  }

  const Operation* Function(const std::string& name) const {
    for (const Operation& operation : module_.top.regions[0].blocks[0].operations) {
      if (!IsFunction(operation)) continue;
      const Attribute* symbol = operation.attributes->Find("sym_name");
      if (symbol != nullptr && symbol->kind == Attribute::Kind::kString && symbol->text == name) return &operation;
    }
    return nullptr;
  }

  core::Result<void> ReadMain(const Operation& main) {
    AttributeReader reader(main, "kernel '" + call_.name + "'");
    reader.Ignore({"sym_name", "function_type", "sym_visibility"});
    if (const auto core = reader.Opaque("tpu.core_type", "#tpu.core_type"); core.value_or("tc") != "tc") {
      reader.Unsupported("core type '" + *core + "'");
    }
    ReadGrid(reader, kernel_);
    kernel_.num_scalar_prefetch = ReadCount(reader, "scalar_prefetch");
    kernel_.num_scratch = ReadCount(reader, "scratch_operands");
    std::vector<WindowParams> windows = ReadWindowParams(reader);
    if (auto finished = reader.Finish(); !finished) return finished;
    return AddWindows(std::move(windows));
  }

  core::Result<void> AddWindows(std::vector<WindowParams> windows) {
    const auto arguments = static_cast<std::int64_t>(kernel_.body->arguments.size());
    const std::int64_t windowed = arguments - static_cast<std::int64_t>(kernel_.grid.size()) - kernel_.num_scalar_prefetch - kernel_.num_scratch;
    if (windowed < 0) return Fail("'main' has fewer arguments than its grid, scalar prefetch and scratch need");
    if (windows.empty()) windows.resize(static_cast<std::size_t>(windowed));
    if (static_cast<std::int64_t>(windows.size()) != windowed) {
      return Fail("'main' has " + std::to_string(windowed) + " windowed arguments but " + std::to_string(windows.size()) + " window_params");
    }
    for (WindowParams& params : windows) {
      if (!params.window) {
        kernel_.windows.emplace_back();
        continue;
      }
      auto map = IndexMapNumber(params.index_map);
      if (!map) return tl::unexpected(map.error());
      params.window->index_map = *map;
      kernel_.windows.push_back(std::move(params.window));
    }
    return {};
  }

  core::Result<int> IndexMapNumber(const std::string& name) {
    for (std::size_t i = 0; i < kernel_.index_maps.size(); ++i) {
      if (kernel_.index_maps[i].name == name) return static_cast<int>(i);
    }
    const Operation* function = Function(name);
    if (function == nullptr || function == main_) return Fail("index map '" + name + "' is not one of its functions");
    auto body = builder_.Build(function->regions[0], function->location);
    if (!body) return tl::unexpected(body.error());
    kernel_.index_maps.push_back({name, *body});
    return static_cast<int>(kernel_.index_maps.size()) - 1;
  }

  const KernelCall& call_;
  const Operation* main_ = nullptr;
  const MlirModule& module_;
  ir::Kernel& kernel_;
  RegionBuilder builder_;
};

}  // namespace

core::Result<std::unique_ptr<ir::Kernel>> ReadMosaic(const KernelCall& call) {
  const auto module = ReadBody(call);
  if (!module) return tl::unexpected(module.error());
  auto kernel = std::make_unique<ir::Kernel>();
  kernel->name = call.name;
  kernel->inputs = call.inputs;
  kernel->outputs = call.outputs;
  kernel->aliases = call.aliases;
  kernel->unwritten_inputs = call.unwritten_inputs;
  kernel->vmem_limit_bytes = call.vmem_limit_bytes;
  if (auto read = KernelReader(call, *module, *kernel).Read(); !read) return tl::unexpected(read.error());
  return kernel;
}

}  // namespace kernel_audit::import
