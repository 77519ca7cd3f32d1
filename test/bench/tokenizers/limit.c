// The kernel's algorithm for GPT-2 in C at WebAssembly's width, 128 bits: what a native compiler makes of it, in one call
// for each text, without turns, streams, ranges or saved documents. `node limit.mjs` compiles and feeds it.
//
//   limit RANKS CLASSES TEXTS WARM: RANKS as tiktoken's file, CLASSES 0x1100 page numbers and the pages of characters'
//   classes (characters.ts), TEXTS a uint32 of bytes before each text; the first WARM texts warm up. Prints nanoseconds a
//   byte of the others, their ids, and a sum of these.
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#define NONE 0xffffffffu
#define HASH 0x9e3779b97f4a7c15ull

static u32 size, starts[60000], byte_ids[256];
static u8 bytes[1 << 20];
static u32 halves[60000][2];

// Pairs of tokens that merge: a filter, and slots of `left << 36 | right << 18 | token`.
static u64 *pairs;
static u8 *filter;
enum { PAIR_BITS = 17 };

static u32 merged(u32 left, u32 right) {
  u64 pair = (u64)left << 18 | right, hash = pair * HASH;
  u32 bit = hash >> (64 - PAIR_BITS - 2);
  if (!(filter[bit >> 3] >> (bit & 7) & 1)) return NONE;
  for (u32 i = hash >> (64 - PAIR_BITS);; i = (i + 1) & ((1 << PAIR_BITS) - 1)) {
    if (!pairs[i]) return NONE;
    if (pairs[i] >> 18 == pair) return pairs[i] & 0x3ffff;
  }
}

static void add_pair(u32 left, u32 right, u32 token) {
  u64 pair = (u64)left << 18 | right, hash = pair * HASH;
  u32 bit = hash >> (64 - PAIR_BITS - 2), i = hash >> (64 - PAIR_BITS);
  filter[bit >> 3] |= 1 << (bit & 7);
  while (pairs[i]) i = (i + 1) & ((1 << PAIR_BITS) - 1);
  pairs[i] = pair << 18 | token;
}

// Two bytes that are certain to merge between their neighbours.
typedef struct { u32 token; u16 after, before; } Entry;
static Entry entries[65536];
static const Entry NO_ENTRY = {NONE, 0xffff, 0xffff};

// The piece table (piece-table.ts).
typedef struct { u64 low, high, ids, more; } Slot;
enum { PIECE_BITS = 17 };
static Slot *slots;
static const u64 KEY_LOW = 0xa0761d6478bd642full, KEY_HIGH = 0xe7037ed1a0b428dbull;
static u64 keep[16][2];

static inline void keys(const u8 *at, u32 length, u64 *low, u64 *high) {
  memcpy(low, at, 8), memcpy(high, at + 8, 8);
  *low &= keep[length][0];
  *high = (*high & keep[length][1]) | (u64)length << 56;
}
static inline u32 slot_of(u64 low, u64 high) { return (low * KEY_LOW + high * KEY_HIGH) >> (64 - PIECE_BITS); }

static Slot *insert(u64 low, u64 high, const u32 *ids, u32 count) {
  u32 i = slot_of(low, high);
  while (slots[i].high && (slots[i].high != high || slots[i].low != low)) i = (i + 1) & ((1 << PIECE_BITS) - 1);
  u64 first = count, rest = 0;
  for (u32 k = 0; k < count; k++) k < 3 ? (first |= (u64)ids[k] << (4 + 20 * k)) : (rest |= (u64)ids[k] << 20 * (k - 3));
  slots[i] = (Slot){low, high, first, rest};
  return &slots[i];
}

// Merging.
static u32 merge(const u8 *at, u32 length, u32 *out) {
  u32 ids[64];
  u32 key[64] __attribute__((aligned(16)));
  for (u32 i = 0; i < ((length + 15) & ~15u); i += 4) _mm_store_si128((void *)(key + i), _mm_set1_epi32(-1));
  u64 start = 0;
  u32 open = 1, last = length - 1;
  u16 two;
  Entry before = NO_ENTRY, entry;
  memcpy(&two, at, 2), entry = entries[two];
  for (u32 i = 0; i < last; i++) {
    memcpy(&two, at + i + 1, 2);
    Entry after = i + 1 < last ? entries[two] : NO_ENTRY;
    u32 certain = (entry.token < before.before) & (entry.token < after.after);
    ids[i] = certain ? entry.token : byte_ids[at[i]];
    start |= (u64)open << i;
    open = certain ^ 1;
    before = entry, entry = after;
  }
  ids[last] = byte_ids[at[last]];
  start |= (u64)open << last;
  u32 bottom = 63 - __builtin_clzll(start);
  for (u64 left = start & ~(1ull << bottom); left; left &= left - 1) {
    u32 i = __builtin_ctzll(left), next = __builtin_ctzll(start & ~((2ull << i) - 1));
    u32 token = merged(ids[i], ids[next]);
    key[i] = token == NONE ? NONE : token << 6 | i;
  }
  for (;;) {
    __m128i four = _mm_load_si128((void *)key);
    for (u32 i = 4; i < length; i += 4) four = _mm_min_epu32(four, _mm_load_si128((void *)(key + i)));
    four = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0x4e));
    u32 least = _mm_cvtsi128_si32(_mm_min_epu32(four, _mm_shuffle_epi32(four, 0xb1)));
    if (least == NONE) break;
    u32 place = least & 63, token = least >> 6;
    u64 after = start & ~((2ull << place) - 1);
    u32 right = __builtin_ctzll(after);
    start &= ~(1ull << right);
    ids[place] = token, key[place] = key[right] = NONE;
    after &= after - 1;
    if (after) {
      u32 found = merged(token, ids[__builtin_ctzll(after)]);
      if (found != NONE) key[place] = found << 6 | place;
    }
    u64 front = start & ((1ull << place) - 1);
    if (front) {
      u32 left = 63 - __builtin_clzll(front), found = merged(ids[left], token);
      key[left] = found == NONE ? NONE : found << 6 | left;
    }
  }
  u32 count = 0;
  for (; start; start &= start - 1) out[count++] = ids[__builtin_ctzll(start)];
  return count;
}

// Pieces longer than 64 bytes: the lowest pair again and again. Slow, and rare in the texts that are measured.
static u32 merge_long(const u8 *at, u32 length, u32 *out) {
  for (u32 i = 0; i < length; i++) out[i] = byte_ids[at[i]];
  for (;;) {
    u32 best = NONE, place = 0;
    for (u32 i = 0; i + 1 < length; i++) {
      u32 token = merged(out[i], out[i + 1]);
      if (token < best) best = token, place = i;
    }
    if (best == NONE) return length;
    out[place] = best;
    memmove(out + place + 1, out + place + 2, (--length - place - 1) * 4);
  }
}

// Characters (characters.ts), for text that is not ASCII.
static u8 *classes;
enum { OTHER, UPPER, LOWER, CASELESS, MARK, NUMBER, SPACE, NEWLINE };
enum { SYMBOLS, LETTERS, NUMBERS, SPACES };

static inline u32 run_at(const u8 *at, u32 *bytes_of) {
  u32 lead = *at, point;
  if (lead < 0x80) *bytes_of = 1, point = lead;
  else if (lead < 0xe0) *bytes_of = 2, point = (lead & 0x1f) << 6 | (at[1] & 0x3f);
  else if (lead < 0xf0) *bytes_of = 3, point = (lead & 0x0f) << 12 | (at[1] & 0x3f) << 6 | (at[2] & 0x3f);
  else *bytes_of = 4, point = (lead & 7) << 18 | (at[1] & 0x3f) << 12 | (at[2] & 0x3f) << 6 | (at[3] & 0x3f);
  u32 kind = classes[0x1100 + (classes[point >> 8] << 8 | (point & 0xff))];
  return kind >= SPACE ? SPACES : kind == NUMBER ? NUMBERS : kind == OTHER || kind == MARK ? SYMBOLS : LETTERS;
}

static inline u32 contraction(const u8 *at, const u8 *end) {
  if (end - at >= 2 && (at[1] == 's' || at[1] == 'd' || at[1] == 'm' || at[1] == 't')) return 2;
  if (end - at < 3) return 0;
  return ((at[1] == 'r' || at[1] == 'v') && at[2] == 'e') || (at[1] == 'l' && at[2] == 'l') ? 3 : 0;
}

static const u8 *scan(const u8 *at, const u8 *end) {
  if (*at == '\'') {
    u32 length = contraction(at, end);
    if (length) return at + length;
  }
  u32 n, first = *at, run;
  const u8 *begin = at, *last = at;
  run = run_at(at, &n);
  if (first == ' ') {
    if (at + 1 == end) return end;
    run = run_at(at + 1, &n), last = at, at++;
  }
  for (; at < end; last = at, at += n) {
    if (run_at(at, &n) != run) return run == SPACES && last > begin ? last : at;
  }
  return end;
}

// The list of pieces and their encoding (pieces.ts).
typedef struct { u64 low, high; const u8 *at; u32 length; u32 slot; } Piece;
enum { LIST = 256 };
static Piece list[LIST];
static u32 listed;
static Slot *found[LIST];
static u32 spill[LIST * 64], spill_count[LIST];
static volatile u64 touched;

static u32 *encode_listed(u32 *out) {
  u64 sum = 0;
  for (u32 i = 0; i < listed; i++) sum += slots[list[i].slot].low;
  touched = sum;
  u32 unfound[LIST + 1], count = 0;
  for (u32 i = 0; i < listed; i++) {
    Slot *slot = &slots[list[i].slot];
    found[i] = slot;
    unfound[count] = i;
    count += !((slot->high == list[i].high) & (slot->low == list[i].low) & (list[i].high != 0));
  }
  for (u32 k = 0; k < count; k++) {
    Piece *piece = &list[unfound[k]];
    u32 i = piece->slot;
    if (piece->high) {
      while (slots[i].high && (slots[i].high != piece->high || slots[i].low != piece->low)) i = (i + 1) & ((1 << PIECE_BITS) - 1);
      if (slots[i].high) {
        found[unfound[k]] = &slots[i];
        continue;
      }
    }
    u32 *ids = spill + unfound[k] * 64;
    found[unfound[k]] = 0;
    if (piece->length > 64) continue;
    u32 made = merge(piece->at, piece->length, ids);
    spill_count[unfound[k]] = made;
    if (piece->high && made <= 6) found[unfound[k]] = insert(piece->low, piece->high, ids, made);
  }
  for (u32 i = 0; i < listed; i++) {
    Slot *slot = found[i];
    if (!slot) {
      if (list[i].length > 64) out += merge_long(list[i].at, list[i].length, out);
      else memcpy(out, spill + i * 64, spill_count[i] * 4), out += spill_count[i];
      continue;
    }
    u64 ids = slot->ids, n = ids & 7;
    out[0] = ids >> 4 & 0xfffff;
    if (n > 1) {
      u64 more = slot->more;
      out[1] = ids >> 24 & 0xfffff, out[2] = ids >> 44, out[3] = more & 0xfffff, out[4] = more >> 20 & 0xfffff, out[5] = more >> 40;
    }
    out += n;
  }
  listed = 0;
  return out;
}

static inline u32 *piece(const u8 *at, u32 length, u32 *out) {
  Piece *p = &list[listed++];
  p->at = at, p->length = length;
  if (length <= 15) keys(at, length, &p->low, &p->high), p->slot = slot_of(p->low, p->high);
  else p->high = 0;
  return listed == LIST ? encode_listed(out) : out;
}

// The borders of pieces in 64 bytes of ASCII (blocks.ts).
static inline u64 mask(__m128i a, __m128i b, __m128i c, __m128i d) {
  return (u32)_mm_movemask_epi8(a) | (u32)_mm_movemask_epi8(b) << 16 |
         (u64)((u32)_mm_movemask_epi8(c) | (u32)_mm_movemask_epi8(d) << 16) << 32;
}
static inline __m128i within(__m128i v, char first, char count) {
  __m128i x = _mm_sub_epi8(v, _mm_set1_epi8(first));
  return _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(count - 1)), x);
}
static inline __m128i is(__m128i v, char byte) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(byte)); }
static inline __m128i letter(__m128i v) { return within(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26); }
static inline __m128i white(__m128i v) { return _mm_or_si128(within(v, 9, 5), is(v, ' ')); }

static u64 borders(const u8 *at, u32 length) {
  __m128i a = _mm_loadu_si128((void *)at), b = _mm_loadu_si128((void *)(at + 16));
  __m128i c = _mm_loadu_si128((void *)(at + 32)), d = _mm_loadu_si128((void *)(at + 48));
  u64 foreign = mask(a, b, c, d);
  u32 ascii = foreign ? __builtin_ctzll(foreign) : 64;
  if (ascii < length) length = ascii;
  if (length < 3) return 1;
  u64 letters = mask(letter(a), letter(b), letter(c), letter(d));
  u64 numbers = mask(within(a, '0', 10), within(b, '0', 10), within(c, '0', 10), within(d, '0', 10));
  u64 spaces = mask(white(a), white(b), white(c), white(d));
  u64 blanks = mask(is(a, ' '), is(b, ' '), is(c, ' '), is(d, ' '));
  u64 quotes = mask(is(a, '\''), is(b, '\''), is(c, '\''), is(d, '\''));
  u64 others = ~(letters | numbers | spaces), known = (1ull << (length - 1)) - 1;
  u64 runs = (letters & ~(letters << 1)) | (numbers & ~(numbers << 1)) | (others & ~(others << 1));
  u64 edges = spaces & (~(spaces << 1) | ~(spaces >> 1));
  u64 begin = (((runs & ~(blanks << 1)) | edges) & known) | 1;
  for (u64 left = begin & quotes & (letters >> 1); left; left &= left - 1) {
    u32 i = __builtin_ctzll(left);
    if (i + 3 > length) return begin & ((2ull << i) - 1);
    u32 n = contraction(at + i, at + 64);
    if (n) begin = (begin & ~(2ull << i)) | (1ull << i) << n;
  }
  return begin & known;
}

static u32 *encode(const u8 *at, const u8 *end, u32 *out) {
  while (at < end) {
    u64 begin = at[0] < 0x80 && at[1] < 0x80 ? borders(at, end - at < 64 ? end - at : 64) : 1;
    begin &= begin - 1;
    if (!begin) {
      const u8 *next = scan(at, end);
      out = piece(at, next - at, out);
      at = next;
      continue;
    }
    u32 start = 0;
    do {
      u32 next = __builtin_ctzll(begin);
      out = piece(at + start, next - start, out);
      start = next;
      begin &= begin - 1;
    } while (begin);
    at += start;
  }
  return encode_listed(out);
}

// The tables.
static u8 *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  fseek(file, 0, SEEK_END);
  *length = ftell(file);
  rewind(file);
  u8 *all = calloc(*length + 128, 1);
  if (fread(all, 1, *length, file) != *length) exit(2);
  return all;
}

static void read_ranks(const char *path) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t length;
  u8 *text = read_file(path, &length);
  u32 end = 0;
  for (u8 *at = text; *at;) {
    u32 bits = 0, n = 0;
    starts[size] = end;
    for (; *at != ' '; at++) {
      if (*at == '=') continue;
      bits = bits << 6 | (u32)(strchr(alphabet, *at) - alphabet), n += 6;
      if (n >= 8) n -= 8, bytes[end++] = bits >> n;
    }
    while (*at != '\n') at++;
    at++, starts[++size] = end;
  }
}

static void build(void) {
  pairs = calloc(1 << PAIR_BITS, 8), filter = calloc(1 << (PAIR_BITS + 2 - 3), 1);
  slots = aligned_alloc(1 << 21, sizeof(Slot) << PIECE_BITS), memset(slots, 0, sizeof(Slot) << PIECE_BITS);
  for (u32 n = 0; n < 16; n++) memset(keep[n], 0xff, n);
  memset(entries, 0xff, sizeof entries);
  for (u32 id = 0; id < size; id++)
    if (starts[id + 1] - starts[id] == 1) byte_ids[bytes[starts[id]]] = id;
  for (u32 id = 0; id < size; id++) {
    u32 length = starts[id + 1] - starts[id], parts[256];
    if (length > 1) {
      if (merge_long(bytes + starts[id], length, parts) != 2) exit(3);
      u32 l = parts[0], r = parts[1];
      add_pair(l, r, id);
      u32 nl = starts[l + 1] - starts[l], nr = starts[r + 1] - starts[r];
      Entry *entry = &entries[bytes[starts[l + 1] - 1] | bytes[starts[r]] << 8];
      if (nl == 1 && id < entry->after) entry->after = id;
      if (nr == 1 && id < entry->before) entry->before = id;
      if (nl == 1 && nr == 1) entry->token = id;
    }
    u64 low, high;
    if (length <= 15) keys(bytes + starts[id], length, &low, &high), insert(low, high, &id, 1);
  }
}

int main(int count, char **paths) {
  if (count != 5) return 2;
  size_t length;
  read_ranks(paths[1]);
  build();
  classes = read_file(paths[2], &length);
  u8 *texts = read_file(paths[3], &length);
  u32 *out = malloc(8 << 20), ids = 0, warm = atoi(paths[4]), index = 0;
  u64 sum = 0, measured = 0;
  double seconds = 0;
  for (u8 *at = texts; at < texts + length; index++) {
    u32 n = *(u32 *)at;
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    u32 made = encode(at + 4, at + 4 + n, out) - out;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    if (index >= warm) {
      seconds += (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9;
      measured += n, ids += made;
      for (u32 i = 0; i < made; i++) sum = sum * 31 + out[i];
    }
    at += 4 + n;
  }
  printf("{\"nanoseconds\":%.3f,\"ids\":%u,\"sum\":\"%llu\"}\n", seconds * 1e9 / measured, ids, (unsigned long long)sum);
}
