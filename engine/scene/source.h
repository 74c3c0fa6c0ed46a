// The text of a scene with its overrides: parsed once, and asked for the place of every error.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace knead {

using Json = nlohmann::json;
using Path = std::vector<std::string>;  // keys and array indices, from the top

std::string to_string(const Path& path);

// A value as it is shown in an error: JSON on one line, cut when long.
std::string value_text(const Json& value);
std::string number_text(double value);   // as exact as it is
std::string rounded_text(double value);  // six digits, for what was computed

class Source {
 public:
  // Parses; InputError with file and line when the text is no JSON, has a key twice, or is too large or too deep.
  Source(std::string file, std::string text);

  // Applies "path.to.key=value". The value is JSON; what is no JSON is a string. Array elements go by index or by their `name`.
  void set(const std::string& assignment);

  const Json& json() const { return *json_; }
  const std::string& file() const { return file_; }

  // "scene.json:14: materials.dough", or "--set materials.dough.density=-1: materials.dough.density" for overridden values.
  std::string where(const Path& path) const;
  InputError error(const Path& path, const std::string& message) const;

 private:
  struct Override {
    Path path;
    std::string assignment;
  };
  std::string file_, text_;
  std::shared_ptr<Json> json_;
  std::vector<Override> overrides_;
};

// Collects errors so that several can be told at once.
class Errors {
 public:
  explicit Errors(const Source& source) : source_(source) {}
  void add(const Path& path, const std::string& message);
  void add_first(const Path& path, const std::string& message);  // before those that are there
  bool any() const { return count_ > 0; }
  bool full() const { return count_ > most; }  // no need to look for more
  void raise() const;                          // throws InputError when there is any

 private:
  static constexpr std::size_t most = 5;  // that are listed
  const Source& source_;
  std::vector<std::string> messages_;
  std::size_t count_ = 0;
};

}  // namespace knead
