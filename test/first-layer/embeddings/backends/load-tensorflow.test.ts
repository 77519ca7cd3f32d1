import util from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeProject } from './fake-package.js'

/** The loader on a machine whose modules answer as given. */
async function loaderWith(modules: Readonly<Record<string, object>> = {}) {
  vi.resetModules()
  for (const [name, exports] of Object.entries(modules)) {
    vi.doMock(name, async (original) => ({ ...(await original<object>()), ...exports }))
  }
  return import('../../../../src/first-layer/embeddings/backends/select.js')
}

describe('loadTensorflow', () => {
  let project: FakeProject

  beforeEach(() => {
    project = new FakeProject()
  })

  afterEach(() => {
    project.remove()
    for (const name of ['node:worker_threads', 'node:fs']) vi.doUnmock(name)
  })

  it('loads the package', async () => {
    const { loadTensorflow } = await loaderWith()
    project.install('globalThis.fakeTensorflow = process.env.TF_CPP_MIN_LOG_LEVEL')
    loadTensorflow(project.require)
    expect(Reflect.get(globalThis, 'fakeTensorflow')).toBe('2')
    Reflect.deleteProperty(globalThis, 'fakeTensorflow')
  })

  it('refuses without the package', async () => {
    const { loadTensorflow, TensorflowUnavailable } = await loaderWith()
    expect(() => loadTensorflow(project.require)).toThrow(TensorflowUnavailable)
    expect(() => loadTensorflow(project.require)).toThrow(/^@tensorflow\/tfjs-node is not installed$/)
  })

  it('refuses a package without its addon', async () => {
    const { loadTensorflow } = await loaderWith()
    project.install(
      'throw new Error("The Node.js native addon module (x.node) can not be found at path: y.\\nz")',
    )
    expect(() => loadTensorflow(project.require)).toThrow(/ is installed, but its addon is not built$/)
  })

  it('refuses a broken addon with the first line of the reason', async () => {
    const { loadTensorflow } = await loaderWith()
    project.install('require("./tfjs_binding.node")', { 'tfjs_binding.node': 'not a library' })
    expect(() => loadTensorflow(project.require)).toThrow(/ is installed, but does not load: .+$/)
  })

  it('refuses in a worker thread', async () => {
    const { loadTensorflow } = await loaderWith({ 'node:worker_threads': { isMainThread: false } })
    project.install('')
    expect(() => loadTensorflow(project.require)).toThrow(/ runs in the main thread only$/)
  })

  it('gives the package what it calls of util, also where Node has no more of it', async () => {
    const { loadTensorflow } = await loaderWith()
    Reflect.deleteProperty(util, 'isNullOrUndefined')
    project.install(
      `globalThis.fakeTensorflow = [null, undefined, 0, ''].map(require('util').isNullOrUndefined)`,
    )
    loadTensorflow(project.require)
    expect(Reflect.get(globalThis, 'fakeTensorflow')).toEqual([true, true, false, false])
    Reflect.deleteProperty(globalThis, 'fakeTensorflow')
  })

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'on a CPU without AVX, where the library would abort the process: refuses',
    async () => {
      const { loadTensorflow } = await loaderWith({ 'node:fs': { readFileSync: () => 'flags : fpu sse2' } })
      project.install('')
      expect(() => loadTensorflow(project.require)).toThrow(/ needs a CPU with AVX/)
    },
  )
})
