/** Seconds: from a small answer to a gigabyte for a slow reader. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const NAME = 'inlet_http_request_duration_seconds'

/** How long the requests of one route took that were answered in one format. */
interface Series {
  readonly labels: { readonly route: string; readonly format: string }
  /** For each bucket, how many requests took at most so long and longer than the one before; last, all longer ones. */
  readonly counts: Float64Array
  seconds: number
}

/**
 * The histogram of requests' durations. Not one of prom-client: that takes a twentieth of a small request's time to
 * look the labels up for one number.
 */
export class Durations {
  readonly #series = new Map<string, Series[]>()

  /** Shows a series before its first request. */
  declare(route: string, format: string): void {
    this.#of(route, format)
  }

  observe(route: string, format: string, seconds: number): void {
    const series = this.#of(route, format)
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]) bucket++
    series.counts[bucket]++
    series.seconds += seconds
  }

  /** As a registry of prom-client gives its histograms: each bucket counts those before it too. */
  figures(): object {
    const values = [...this.#series.values()].flat().flatMap(({ labels, counts, seconds }) => {
      let count = 0
      const buckets = [...BUCKETS, '+Inf'].map((le, i) => {
        count += counts[i]
        return { labels: { le, ...labels }, value: count, metricName: `${NAME}_bucket` }
      })
      return [
        ...buckets,
        { labels, value: seconds, metricName: `${NAME}_sum` },
        { labels, value: count, metricName: `${NAME}_count` },
      ]
    })
    const help = 'Time from a request’s header to the last byte of its answer.'
    return { name: NAME, help, type: 'histogram', values, aggregator: 'sum' }
  }

  #of(route: string, format: string): Series {
    let all = this.#series.get(route)
    if (all === undefined) {
      all = []
      this.#series.set(route, all)
    }
    for (const each of all) if (each.labels.format === format) return each
    const series = { labels: { route, format }, counts: new Float64Array(BUCKETS.length + 1), seconds: 0 }
    all.push(series)
    return series
  }
}
