#include "kit/text/xml.hpp"

#include "support/catch.hpp"

namespace sthd::text {
namespace {

TEST_CASE("XML text has no markup of its own, in tags and in attributes", "[text][xml]") {
  CHECK(xml_escaped("a < b & c > \"d\" 'e'") == "a &lt; b &amp; c &gt; &quot;d&quot; &#39;e&#39;");
  CHECK(xml_escaped("</script><!-- ]]> -->") == "&lt;/script&gt;&lt;!-- ]]&gt; --&gt;");
  CHECK(xml_escaped("").empty());
  CHECK(xml_escaped("日本語 µs") == "日本語 µs");
}

TEST_CASE("XML text holds no character that XML 1.0 forbids", "[text][xml]") {
  CHECK(xml_escaped(std::string_view("a\0b\x01\x1b\x7f\t\n", 8)) == "a\\x00b\\x01\\x1b\\x7f\\t\\n");
  CHECK(xml_escaped("\xef\xbf\xbe|\xef\xbf\xbf|\xef\xbf\xbd") ==
        "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd");
  CHECK(xml_escaped("\xed\xa0\x80 \xff") == "\\xed\\xa0\\x80 \\xff");  // a surrogate, a stray byte
}

}  // namespace
}  // namespace sthd::text
