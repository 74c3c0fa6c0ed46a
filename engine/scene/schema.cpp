#include "scene/schema.h"

#include "scene/schema_writer.h"

namespace knead {

OrderedJson scene_schema_json() {
  SchemaContext context;
  ObjectSchema members(context);
  SceneSpec spec;
  spec.describe(members);
  OrderedJson schema = OrderedJson::object({{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                                            {"title", "knead scene"},
                                            {"description", "A scene of knead: SI units, degrees for angles, y up, right-handed."}});
  schema.update(members.finish());
  schema["$defs"] = context.definitions;
  return schema;
}

std::string scene_schema() { return scene_schema_json().dump(2) + "\n"; }

}  // namespace knead
