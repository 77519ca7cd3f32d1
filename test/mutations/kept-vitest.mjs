import { join } from 'node:path'
import { BaseSequencer, createVitest } from 'vitest/node'

/** Runs test files in the order in which they were asked for. */
class AsGiven extends BaseSequencer {
  sort(files) {
    return files
  }
}

// A child process of vitest-runs.mjs: a Vitest that stays, so that its transforms are kept. Takes
// `{ changed, tests, bail }` and answers `{ failed: [tests], took: { test: ms } }`.

const root = process.cwd()
const vitest = await createVitest('test', {
  root,
  config: join(import.meta.dirname, 'vitest.config.ts'),
  watch: false,
  reporters: [{}],
  maxWorkers: Number(process.env.WORKERS),
  sequence: { sequencer: AsGiven },
  // Note-functions.mjs writes what each test calls, where it is asked to.
  setupFiles: process.env.CALLED === undefined ? [] : [join(import.meta.dirname, 'note-functions.mjs')],
})
await vitest.standalone()
const specifications = await vitest.globTestSpecifications()
process.send({ isReady: true })

process.on('message', async ({ changed, tests, bail }) => {
  for (const file of changed) vitest.invalidateFile(join(root, file))
  // Results of earlier runs would count for `bail`.
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  vitest.state.errorsSet.clear()
  vitest.config.bail = bail
  for (const project of vitest.projects) project.config.bail = bail
  const wanted = tests.map((test) => specifications.find(({ moduleId }) => moduleId === join(root, test)))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted)
  const ran = testModules.filter((module) => module.state() !== 'queued')
  const failed = ran.filter((module) => module.state() === 'failed').map((module) => module.relativeModuleId)
  const took = Object.fromEntries(
    ran.map((module) => {
      const { collectDuration, duration } = module.diagnostic()
      return [module.relativeModuleId, collectDuration + duration]
    }),
  )
  process.send({ failed, took, errors: unhandledErrors.length })
})
