#include "scene/source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "scene/names.h"

namespace knead {
namespace {

// No scene comes near these; they keep hostile input from eating memory or the stack.
constexpr std::size_t largest_text = 8u << 20;  // [bytes]
constexpr int deepest = 64;                     // nested values

std::string printable(std::string_view text, std::size_t longest) {
  std::string result(text.substr(0, longest));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  while (text.size() > longest && !result.empty() && (static_cast<unsigned char>(result.back()) & 0x80)) result.pop_back();
  return text.size() > longest ? result + "..." : result;
}

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Walks a text that is known to be JSON (with comments), for what the parser does not tell: lines and repeated keys.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  // Line of the deepest part of `path` that is in the text.
  int line_of(const Path& path) {
    target_ = &path;
    skip();
    found_line_ = line_;
    value(0, true);
    return found_line_;
  }

  // Path of the first key that an object has twice, and its line; empty when there is none.
  Path repeated_key(int& line) {
    collect_ = true;
    value(0, false);
    line = found_line_;
    return repeated_;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void advance() {
    if (peek() == '\n') ++line_;
    ++at_;
  }
  void skip() {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//") {
        while (at_ < text_.size() && peek() != '\n') advance();
      } else if (text_.substr(at_, 2) == "/*") {
        while (at_ < text_.size() && text_.substr(at_, 2) != "*/") advance();
        at_ = std::min(at_ + 2, text_.size());
      } else if (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
        advance();
      } else {
        return;
      }
    }
  }
  std::string string() {
    const std::size_t begin = at_;
    advance();
    while (at_ < text_.size() && peek() != '"') {
      if (peek() == '\\') advance();
      advance();
    }
    advance();
    const std::string_view token = text_.substr(begin, at_ - begin);
    if (token.find('\\') == std::string_view::npos) return std::string(token.substr(1, token.size() - 2));
    const Json decoded = Json::parse(token, nullptr, false);
    return decoded.is_string() ? decoded.get<std::string>() : std::string();
  }
  void value(std::size_t level, bool on_path) {
    skip();
    if (peek() == '{') {
      members(level, on_path);
    } else if (peek() == '[') {
      elements(level, on_path);
    } else if (peek() == '"') {
      string();
    } else {
      while (at_ < text_.size() && std::string_view(",]}/ \t\r\n").find(peek()) == std::string_view::npos) advance();
    }
  }
  bool matches(const std::string& key, std::size_t level, bool on_path) {
    if (!on_path || level >= target_->size() || (*target_)[level] != key) return false;
    found_line_ = line_;
    return true;
  }
  void members(std::size_t level, bool on_path) {
    std::set<std::string> seen;
    for (advance(), skip(); at_ < text_.size() && peek() != '}'; skip()) {
      if (peek() == ',') {
        advance();
        continue;
      }
      const int key_line = line_;
      const std::string key = string();
      const bool match = matches(key, level, on_path);
      if (collect_) {
        trail_.push_back(key);
        if (repeated_.empty() && !seen.insert(key).second) repeated_ = trail_, found_line_ = key_line;
      }
      skip();
      advance();  // the colon
      value(level + 1, match);
      if (collect_) trail_.pop_back();
    }
    advance();
  }
  void elements(std::size_t level, bool on_path) {
    std::size_t index = 0;
    for (advance(), skip(); at_ < text_.size() && peek() != ']'; skip()) {
      if (peek() == ',') {
        advance();
        continue;
      }
      const std::string key = on_path || collect_ ? std::to_string(index) : std::string();
      ++index;
      const bool match = matches(key, level, on_path);
      if (collect_) trail_.push_back(key);
      value(level + 1, match);
      if (collect_) trail_.pop_back();
    }
    advance();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1, found_line_ = 1;
  const Path* target_ = nullptr;
  bool collect_ = false;
  Path trail_, repeated_;
};

// What the parser says, without its own prefix; `line` is where.
std::string parser_message(const Json::exception& error, std::string_view text, int& line) {
  std::string message = error.what();
  if (const auto at = message.find("line "); at != std::string::npos) line = std::max(1, std::atoi(message.c_str() + at + 5));
  if (const auto quote = message.find('\''); error.id == 406 && quote != std::string::npos) {  // number overflow: find the number
    const auto number = text.find(message.substr(quote + 1, message.rfind('\'') - quote - 1));
    if (number != std::string::npos)
      line = 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(number), '\n'));
    return "a number is too large: " + printable(message.substr(quote), 60);
  }
  const auto column = message.find(", column ");
  const auto colon = message.find(": ", column == std::string::npos ? 0 : column);
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

// Deepest nesting of brackets outside of strings and comments, of any text.
int nesting(std::string_view text) {
  int depth = 0, most = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
    } else if (c == '/' && text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '/' && text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i + 2), text.size() - 1) + 1;
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return most;
}

// The parser's own callback could limit the depth too, but takes quadratic time on long lists.
Json parse(std::string_view text) {
  if (nesting(text) > deepest) throw InputError("nested more than " + std::to_string(deepest) + " deep");
  return Json::parse(text.begin(), text.end(), nullptr, true, true);
}

}  // namespace

std::string to_string(const Path& path) {
  std::string result;
  for (const std::string& part : path) {
    if (!result.empty()) result += '.';
    result += printable(part, 60);
  }
  return result;
}

std::string value_text(const Json& value) {
  if (value.is_number_float()) return number_text(value.get<double>());
  return printable(dump(value), 60);
}

std::string number_text(double value) {
  char buffer[40];
  for (int digits : {6, 9, 12, 17}) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value) break;
  }
  return buffer;
}

std::string rounded_text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

Source::Source(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  if (text_.size() > largest_text)
    throw InputError(file_ + ": the scene has " + std::to_string(text_.size()) + " bytes; at most " + std::to_string(largest_text) +
                     " are accepted");
  int line = 1;
  try {
    json_ = std::make_shared<Json>(parse(text_));
  } catch (const Json::exception& error) {
    const std::string message = parser_message(error, text_, line);
    throw InputError(file_ + ":" + std::to_string(line) + ": not valid JSON: " + message);
  } catch (const InputError& error) {
    throw InputError(file_ + ": the scene is " + error.what());
  }
  const Path repeated = Walker(text_).repeated_key(line);
  if (!repeated.empty())
    throw InputError(file_ + ":" + std::to_string(line) + ": " + to_string(repeated) + ": the key is there twice; keep one");
}

std::string Source::where(const Path& path) const {
  const std::string place = path.empty() ? "" : ": " + to_string(path);
  for (auto it = overrides_.rbegin(); it != overrides_.rend(); ++it) {
    if (it->path.size() <= path.size() && std::equal(it->path.begin(), it->path.end(), path.begin()))
      return "--set " + printable(it->assignment, 80) + place;
  }
  return file_ + ":" + std::to_string(Walker(text_).line_of(path)) + place;
}

InputError Source::error(const Path& path, const std::string& message) const { return InputError(where(path) + ": " + message); }

namespace {

// The first part of a dotted path inside `container`. A key or name that is there and itself has dots wins over its first part.
std::string_view first_part(const Json& container, std::string_view rest) {
  std::string_view best = rest.substr(0, rest.find('.'));
  const auto consider = [&](const std::string& key) {
    if (key.size() > best.size() && rest.starts_with(key) && (rest.size() == key.size() || rest[key.size()] == '.'))
      best = rest.substr(0, key.size());
  };
  if (container.is_object())
    for (const auto& item : container.items()) consider(item.key());
  if (container.is_array())
    for (const Json& element : container)
      if (element.is_object() && element.contains("name") && element["name"].is_string())
        consider(element["name"].get_ref<const std::string&>());
  return best;
}

// Index of the element that `part` means, by position or by name.
std::size_t element_index(const Json& array, const std::string& part, const std::string& prefix) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (!array[i].is_object() || !array[i].contains("name") || !array[i]["name"].is_string()) continue;
    names.push_back(array[i]["name"].get<std::string>());
    if (names.back() == part) return i;
  }
  const bool number = !part.empty() && part.size() < 9 && part.find_first_not_of("0123456789") == std::string::npos;
  if (number && std::stoul(part) < array.size()) return std::stoul(part);
  std::string message = prefix + "\"" + printable(part, 60) + "\" is no element of the list; accepted: ";
  message += array.empty() ? "none, the list is empty" : "an index from 0 to " + std::to_string(array.size() - 1);
  if (names.size() > 8) names.resize(8);
  if (!names.empty()) message += ", or a name such as " + quoted_list(names);
  if (const std::string near = nearest_name(part, names); !near.empty()) message += "; did you mean " + in_quotes(near) + "?";
  throw InputError(message);
}

}  // namespace

void Source::set(const std::string& assignment) {
  const std::string prefix = "--set " + printable(assignment, 80) + ": ";
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) throw InputError(prefix + "expected path.to.key=value");
  if (assignment.size() > largest_text) throw InputError(prefix + "the value is too long");
  const std::string text = assignment.substr(equals + 1);
  Json value;
  try {
    value = parse(text);
  } catch (const Json::exception&) {
    value = text;  // a bare word is a string
  } catch (const InputError& error) {
    throw InputError(prefix + "the value is " + error.what());
  }

  std::string_view rest = std::string_view(assignment).substr(0, equals);
  Json* at = json_.get();
  Path path;
  while (!rest.empty()) {
    if (path.size() >= static_cast<std::size_t>(deepest)) throw InputError(prefix + "the path is too long");
    std::string part(first_part(*at, rest));
    rest = part.size() < rest.size() ? rest.substr(part.size() + 1) : std::string_view();
    if (part.empty()) throw InputError(prefix + "the path has an empty part");
    if (at->is_array()) {
      const std::size_t index = element_index(*at, part, prefix);
      part = std::to_string(index);
      at = &(*at)[index];
    } else if (at->is_object() || at->is_null()) {
      at = &(*at)[part];  // a key that the schema does not know is refused by the reader
    } else {
      throw InputError(prefix + to_string(path) + " is " + value_text(*at) + ", which has no \"" + printable(part, 60) + "\" inside");
    }
    path.push_back(std::move(part));
  }
  if (path.empty()) throw InputError(prefix + "expected path.to.key=value");
  *at = std::move(value);
  overrides_.push_back({std::move(path), assignment});
}

void Errors::add(const Path& path, const std::string& message) {
  if (++count_ <= most) messages_.push_back(source_.where(path) + ": " + message);
}

void Errors::add_first(const Path& path, const std::string& message) {
  ++count_;
  messages_.insert(messages_.begin(), source_.where(path) + ": " + message);
  if (messages_.size() > most) messages_.pop_back();
}

void Errors::raise() const {
  if (!any()) return;
  std::string text;
  for (const std::string& message : messages_) {
    if (!text.empty()) text += '\n';
    text += message;
  }
  if (count_ > most) text += "\n... and " + std::to_string(count_ - most) + " more";
  throw InputError(text);
}

}  // namespace knead
