import type { Operations } from '../../service/document/operation.js'

export const tag = 'Service'

export const operations: Operations = {
  getMetrics: {
    summary: 'Metrics for Prometheus',
    description:
      'Counters and histograms of requests, tokens, windows, bytes and errors; memory and event loop. Not for keys of some models: all are named here.',
    answers: { 200: { description: 'Metrics for Prometheus' } },
    errors: ['forbidden'],
  },
}
