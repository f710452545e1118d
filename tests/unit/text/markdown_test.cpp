#include "kit/text/markdown.hpp"

#include "support/catch.hpp"

namespace sthd::text {
namespace {

TEST_CASE("Markdown text ends no cell and opens nothing", "[text][markdown]") {
  CHECK(markdown_escaped("a | `b` *c* [d](e) # \\") == R"(a \| \`b\` \*c\* \[d\](e) \# \\)");
  CHECK(markdown_escaped("<b> & </b>") == "&lt;b&gt; &amp; &lt;/b&gt;");
}

TEST_CASE("An underscore inside a Markdown word is left alone", "[text][markdown]") {
  CHECK(markdown_escaped("O_DIRECT") == "O_DIRECT");
  CHECK(markdown_escaped("_a_ b_") == R"(\_a\_ b\_)");
}

}  // namespace
}  // namespace sthd::text
