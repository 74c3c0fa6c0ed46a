// Anderson acceleration of the fixed point: the iterate that would have changed least, were the iteration affine.
#pragma once
#include <vector>

#include "solvers/mpm/transfers.h"

namespace knead {

template <class T> class Anderson {
 public:
  // What is accelerated: values [component][particle] that are measured with a weight per particle, and what depends on them affinely.
  struct Field {
    T* values;
    const T* weight;  // null: goes along without being measured
    std::size_t stride, components;
  };
  void begin(std::vector<Field> fields, int history);
  void remember();    // before an iteration: where it starts from
  void reset();       // what was learned no longer holds
  void accelerate();  // after an iteration: from its result to a better one

 private:
  struct Vectors {
    Scratch<T> start, change, last, last_change;  // z, f = g - z, and g and f of the iteration before
    std::vector<Scratch<T>> steps, changes;       // differences of g and of f
  };
  double dot(const Vectors& vectors, std::size_t n, const T* a, const T* b);

  std::vector<Field> fields_;
  std::vector<Vectors> vectors_;
  std::vector<double> parts_;
  std::size_t history_ = 0, used_ = 0, next_ = 0;
  bool has_last_ = false;
  double last_size_ = 0;
  std::vector<double> gram_;
};

}  // namespace knead
