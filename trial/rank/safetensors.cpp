#include "trial/rank/safetensors.h"

#include <bit>
#include <cstring>

#include "formats/json.h"

namespace dt::trial {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

constexpr std::uint64_t max_header_bytes = 100'000'000;  // the reference reader's limit

const std::map<std::string, std::int64_t>& item_bytes() {
  static const std::map<std::string, std::int64_t> sizes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"I16", 2}, {"F16", 2},
      {"BF16", 2}, {"I32", 4}, {"F32", 4}, {"I64", 8}, {"F64", 8}};
  return sizes;
}

std::string header_of(const NamedTensors& tensors) {
  Value header = Value::Object{};
  std::int64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const auto end = offset + static_cast<std::int64_t>(tensor.data.size());
    Value::Array shape(tensor.shape.begin(), tensor.shape.end());
    Value entry;
    entry.set("dtype", tensor.dtype).set("shape", std::move(shape));
    entry.set("data_offsets", Value::Array{offset, end});
    header.set(name, std::move(entry));
    offset = end;
  }
  std::string text = to_json(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // data begins aligned
  return text;
}

Result<TensorBytes> parse_entry(const std::string& name, const Value& entry,
                                std::string_view data) {
  const auto wrong = [&](const char* what) {
    return data_loss("safetensors entry '", name, "' has a wrong ", what);
  };
  const Value& dtype = entry["dtype"];
  const Value& shape = entry["shape"];
  const Value& offsets = entry["data_offsets"];
  if (!dtype.is_string() || !item_bytes().count(dtype.as_string())) return wrong("dtype");
  if (!shape.is_array()) return wrong("shape");
  if (!offsets.is_array() || offsets.as_array().size() != 2) return wrong("data_offsets");

  TensorBytes tensor;
  tensor.dtype = dtype.as_string();
  std::int64_t bytes = item_bytes().at(tensor.dtype);
  for (const Value& length : shape.as_array()) {
    if (!length.is_int() || length.as_int() < 0) return wrong("shape");
    tensor.shape.push_back(length.as_int());
    if (__builtin_mul_overflow(bytes, length.as_int(), &bytes)) return wrong("shape");
  }
  const Value& begin = offsets.as_array()[0];
  const Value& end = offsets.as_array()[1];
  if (!begin.is_int() || !end.is_int() || begin.as_int() < 0 || end.as_int() < begin.as_int() ||
      end.as_int() > static_cast<std::int64_t>(data.size()) ||
      end.as_int() - begin.as_int() != bytes) {
    return wrong("data_offsets");
  }
  tensor.data =
      data.substr(static_cast<std::size_t>(begin.as_int()), static_cast<std::size_t>(bytes));
  return tensor;
}

}  // namespace

Result<ReportedFile> write_safetensors(const std::string& folder, const std::string& name,
                                       const NamedTensors& tensors) {
  FileWriter file = TRY(FileWriter::create(folder, name));
  const std::string header = header_of(tensors);
  const std::uint64_t length = header.size();
  TRY(file.write(&length, sizeof length));
  TRY(file.write(header));
  for (const auto& [tensor_name, tensor] : tensors) TRY(file.write(tensor.data));
  return file.close();
}

Result<NamedTensors> parse_safetensors(std::string_view text) {
  std::uint64_t length = 0;
  if (text.size() < sizeof length)
    return data_loss("a safetensors file of ", text.size(), " bytes");
  std::memcpy(&length, text.data(), sizeof length);
  if (length > max_header_bytes || length > text.size() - sizeof length) {
    return data_loss("a safetensors header of ", length, " bytes in a file of ", text.size());
  }
  const auto header_bytes = static_cast<std::size_t>(length);
  const Value header = TRY(parse_json(text.substr(sizeof length, header_bytes)));
  if (!header.is_object()) return data_loss("a safetensors header that is no map");
  const std::string_view data = text.substr(sizeof length + header_bytes);
  NamedTensors tensors;
  for (const auto& [name, entry] : header.as_object()) {
    if (name == "__metadata__") continue;
    tensors[name] = TRY(parse_entry(name, entry, data));
  }
  return tensors;
}

}  // namespace dt::trial
