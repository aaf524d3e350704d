// operator new and delete of dt-sim: blocks are kept by size and handed out again. The simulator
// has one thread a process, makes tens of millions of small things a second, and ends soon; a third
// of its time went to the general allocator. A block's size is known by its address, since each
// slab of one large region holds blocks of one size. Left out where a sanitizer watches.
#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

constexpr std::size_t grain = 16;
constexpr std::size_t largest = 2048;
constexpr std::size_t slab_bytes = 1 << 16;
constexpr std::size_t region_bytes = std::size_t{1} << 36;  // of addresses, not of memory

struct Free {
  Free* next;
};

struct Size {
  Free* free = nullptr;
  std::byte* next = nullptr;  // in its newest slab
  std::byte* end = nullptr;
};

std::array<Size, largest / grain + 1> sizes;
std::array<std::uint8_t, region_bytes / slab_bytes> size_of_slab;
std::byte* region = nullptr;
std::size_t slabs = 0;
bool is_without_region = false;

bool reserve_region() {
  void* place = ::mmap(nullptr, region_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  is_without_region = place == MAP_FAILED;
  if (!is_without_region) region = static_cast<std::byte*>(place);
  return !is_without_region;
}

void* from_malloc(std::size_t bytes) {
  void* block = std::malloc(bytes);
  if (block == nullptr) std::abort();
  return block;
}

void* allocate(std::size_t bytes) {
  if (bytes == 0 || bytes > largest) return from_malloc(bytes);
  const std::size_t number = (bytes + grain - 1) / grain;
  Size& size = sizes[number];
  if (Free* block = size.free; block != nullptr) {
    size.free = block->next;
    return block;
  }
  const std::size_t rounded = number * grain;
  if (size.end - size.next < static_cast<std::ptrdiff_t>(rounded)) {
    const bool is_ready = region != nullptr || (!is_without_region && reserve_region());
    if (!is_ready || (slabs + 1) * slab_bytes > region_bytes) return from_malloc(bytes);
    size_of_slab[slabs] = static_cast<std::uint8_t>(number);
    size.next = region + slabs++ * slab_bytes;
    size.end = size.next + slab_bytes;
  }
  void* block = size.next;
  size.next += rounded;
  return block;
}

void release(void* block) {
  const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(block) - region);
  if (region == nullptr || offset >= slabs * slab_bytes) return std::free(block);
  Size& size = sizes[size_of_slab[offset / slab_bytes]];
  size.free = new (block) Free{size.free};
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }

#endif
