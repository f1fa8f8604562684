// Chains: neighbouring instructions on vectors that run together, a few rows at a time, so that what goes from one to the next stays in the
// first cache, and what is loaded or stored is read or written where it lies.
//
// The vectors of a chain have the same number of rows; row r of a result comes from row r of its operands. A chain runs row by row only
// where nothing can tell the difference: all elements valid, all accesses inside, no store into what another access of the chain touches at
// other places. Otherwise its instructions run one after another, as they would without it.
#pragma once

#include <cstddef>
#include <vector>

#include "kernel_audit/sim/access.h"
#include "kernel_audit/sim/program.h"

namespace kernel_audit::sim {

// A register as a chain sees it.
struct ChainValue {
  enum class Home {
    kRegister,  // all rows, in the register
    kSame,      // in the register; every row is the same (a constant)
    kPiece,     // some rows at a time, in the chain's own memory
  };
  int reg = -1;
  std::size_t width = 0;  // elements in a row
  std::size_t size = 0;   // bytes of an element
  Home home = Home::kRegister;
  std::size_t offset = 0;  // in the chain's memory
};

struct ChainMember {
  enum class Kind {
    kEarly,  // a whole instruction without effects, of which starts of accesses may depend
    kWhole,  // a whole instruction
    kRows,   // an elementwise instruction
    kRepeatOne, kRepeatRow,  // broadcasts that give every row the same
    kRepeatColumn,           // a broadcast of each row's one element
    kReshape, kReduce, kLoad, kStore,
  };
  Kind kind;
  Instruction instruction;
  int target = -1;                  // values
  int sources[3] = {-1, -1, -1};
  int access = -1;     // number among the chain's loads and stores
  int stored_by = -1;  // the one store that takes the result, which nobody else does: its number among them
};

struct ChainPayload : Payload {
  std::size_t rows = 0, piece_rows = 0;
  std::size_t memory = 0;  // bytes
  int accesses = 0;
  int end = 0;  // the instruction after the last
  std::vector<int> outside;  // registers whose elements come from elsewhere, or from early instructions
  std::vector<ChainValue> values;
  std::vector<ChainMember> members;
};

// The instruction's `run`: ends behind the chain.
void RunChain(Machine& machine, const Instruction& instruction);

}  // namespace kernel_audit::sim
