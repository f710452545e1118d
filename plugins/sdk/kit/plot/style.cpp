#include "kit/plot/style.hpp"

#include "sthd/text.hpp"

namespace sthd::plot {
namespace {

constexpr std::string_view kStyle = R"(<style>
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-size:12px;fill:#57606a}
.title{font-size:16px;font-weight:600;fill:#1f2328}
.name{fill:#1f2328}
.x{text-anchor:middle}
.y{text-anchor:end}
.back{fill:#ffffff;stroke:#d0d7de}
.grid{fill:none;stroke:#e4e8ec}
.axis{fill:none;stroke:#8c959f}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
.l0{stroke:#0a5fc2}.l1{stroke:#c2410c}.l2{stroke:#0d7a5f}.l3{stroke:#93329e}.l4{stroke:#8a6100}.l5{stroke:#3d4752}
.f0{fill:#0a5fc2}.f1{fill:#c2410c}.f2{fill:#0d7a5f}.f3{fill:#93329e}.f4{fill:#8a6100}.f5{fill:#3d4752}
@media (prefers-color-scheme:dark){
text{fill:#9aa4af}
.title,.name{fill:#e6edf3}
.back{fill:#0d1117;stroke:#30363d}
.grid{stroke:#222932}
.axis{stroke:#6e7681}
.l0{stroke:#6cb0ff}.l1{stroke:#ff9a5c}.l2{stroke:#3ecf9f}.l3{stroke:#e08df0}.l4{stroke:#e6c04a}.l5{stroke:#c3ccd6}
.f0{fill:#6cb0ff}.f1{fill:#ff9a5c}.f2{fill:#3ecf9f}.f3{fill:#e08df0}.f4{fill:#e6c04a}.f5{fill:#c3ccd6}
}
</style>
)";

}  // namespace

std::string_view style_sheet() { return kStyle; }

std::size_t columns_of(std::string_view shown) { return display_width(shown); }

std::string elided(std::string_view untrusted, std::size_t columns) {
  constexpr std::size_t kMostBytes = 1000;  // what has no width has an end too
  const std::string shown = display(untrusted);
  if (shown.size() <= kMostBytes && display_width(shown) <= columns) return shown;
  std::size_t end = 0;
  for (std::size_t next = 0; next < std::min(shown.size(), kMostBytes);) {
    do {
      ++next;
    } while (next < shown.size() && (static_cast<unsigned char>(shown[next]) & 0xc0U) == 0x80U);
    if (display_width(std::string_view(shown).substr(0, next)) >= columns) break;
    end = next;
  }
  return shown.substr(0, end) + "…";
}

}  // namespace sthd::plot
