/**
 * The numbers of a page that begins at `from`: pageOf(32, 32, 40) → [32 … 39]. Where there are fewer by now than it
 * begins at, the last page.
 */
export function pageOf(from: number, page: number, count: number): readonly number[] {
  const first = from < count ? from : Math.max(0, page * (Math.ceil(count / page) - 1))
  return Array.from({ length: Math.min(page, count - first) }, (_, index) => first + index)
}
