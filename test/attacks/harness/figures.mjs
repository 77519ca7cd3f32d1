/** Figures of a list of times: { count, p50, p99, max }; undefined figures where it is empty. */
export function spread(times) {
  const sorted = Float64Array.from(times).sort()
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) }
}

export const megabytes = (bytes) =>
  bytes === undefined ? '–' : Math.round(bytes / 1e6).toLocaleString('en-US')

/** `1.3 s`, `42 ms`, `0.4 ms`. */
export function duration(ms) {
  if (ms === undefined) return '–'
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
}

/** `p50 0.8 ms, p99 2.1 ms, max 9.0 ms (160)`. */
export const spreadText = ({ count, p50, p99, max }) =>
  `p50 ${duration(p50)}, p99 ${duration(p99)}, max ${duration(max)} (${count})`
