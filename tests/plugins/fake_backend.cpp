// A good backend, made with the SDK's own macro.
#include "sthd/abi.hpp"

namespace {

class Fake final : public sthd::BackendPlugin {
 protected:
  [[nodiscard]] sthd::BackendInfo describe() const override {
    return {.engines = {"fake"}, .native = false};
  }
  [[nodiscard]] sthd::Outcome<sthd::Capability> try_engine(
      const sthd::ProbeRequest& /*request*/) override {
    return sthd::Capability{};
  }
  [[nodiscard]] sthd::Outcome<sthd::LoopResult> execute(const sthd::Job& /*job*/,
                                                        sthd::RunContext& /*context*/) override {
    return sthd::LoopResult{};
  }
};

}  // namespace

STHD_BACKEND_PLUGIN(Fake, "good-backend", "A fake")
