import { expect, test } from 'vitest'
import { unloaded } from '../../../src/models/entry.js'
import { environmentCard } from '../../../src/models/environment.js'
import { readConfig } from '../../../src/service/features.js'
import { Metrics, metricsText } from '../../../src/service/metrics/metrics.js'

/** Two threads whose models are those of one list. */
function threads() {
  const card = environmentCard(readConfig({}))
  const entry = (id: string) => unloaded({ ...card, id }, 'request')
  const models = { entries: [entry('kept'), entry('gone')] }
  const forgetters: ((id: string) => void)[] = []
  const all = [0, 1].map(() => {
    const metrics = new Metrics()
    metrics.watchModels({
      entries: () => models.entries,
      entry: (id) => models.entries.find(({ card }) => card.id === id),
      onDrop: (forget) => forgetters.push(forget),
    })
    return metrics
  })
  /** Deletes a model in both threads. */
  const drop = (id: string) => {
    models.entries = models.entries.filter(({ card }) => card.id !== id)
    for (const forget of forgetters) forget(id)
  }
  const values = (thread: number) => all[thread].values().then(structuredClone)
  return { all, models, entry, values, drop }
}

/** The lines about models. */
function modelLines(text: string): string[] {
  return text.split('\n').filter((line) => /^inlet_(model|table)/.test(line))
}

test('the requests and tokens of all threads add up by model; an unused model has its bytes only', async () => {
  const { all, values } = threads()
  all[0].countModel('kept', 5)
  all[1].countModel('kept', 7)
  all[1].countModel('kept', 1)
  const text = await metricsText([await values(0), await values(1)])
  expect(modelLines(text)).toEqual([
    'inlet_model_requests_total{model="kept"} 3',
    'inlet_model_tokens_total{model="kept"} 13',
    'inlet_table_bytes{model="kept"} 0',
    'inlet_table_bytes{model="gone"} 0',
    'inlet_model_state{model="kept",state="unloaded"} 1',
    'inlet_model_state{model="gone",state="unloaded"} 1',
  ])
  expect(text).toContain('# TYPE inlet_model_requests_total counter\n')
  expect(text).toContain('# TYPE inlet_table_bytes gauge\n')
})

test('a model that is deleted and made again between two scrapes begins at 0', async () => {
  const { all, models, entry, values, drop } = threads()
  all[0].countModel('gone', 9)
  drop('gone')
  all[0].countModel('gone', 4) // its last request ends
  models.entries.push(entry('gone'))
  all[0].countModel('gone', 2)
  const lines = modelLines(await metricsText([await values(0), await values(1)]))
  expect(lines).toContain('inlet_model_tokens_total{model="gone"} 2')
  expect(lines).toContain('inlet_model_requests_total{model="gone"} 1')
})
