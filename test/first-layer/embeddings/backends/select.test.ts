import util from 'node:util'
import { engine, getBackend, version_core } from '@tensorflow/tfjs-core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { selectBackend } from '../../../../src/first-layer/embeddings/backends/select.js'
import { FakeProject } from './fake-package.js'

const olderNode = 'isNullOrUndefined' in util

describe('selectBackend', () => {
  let project: FakeProject

  beforeEach(() => {
    project = new FakeProject()
  })

  afterEach(() => {
    project.remove()
  })

  it('cpu: takes it, and says that it was asked for', async () => {
    const selected = await selectBackend('cpu')
    expect(selected).toEqual({ name: 'cpu', version: version_core, reason: 'TF_BACKEND=cpu' })
    expect(getBackend()).toBe('cpu')
  })

  it('auto without tfjs-node: cpu, and says that the other is not installed', async () => {
    const { name, reason } = await selectBackend('auto', project.require)
    expect(name).toBe('cpu')
    expect(reason).toMatch(/the faster for these lookups; @tensorflow\/tfjs-node is not installed$/)
  })

  it('auto with tfjs-node, broken or not: cpu, without loading the other', async () => {
    project.install('throw new Error("loaded")')
    const { name, reason } = await selectBackend('auto', project.require)
    expect(name).toBe('cpu')
    expect(reason).toMatch(/is installed, and TF_BACKEND=tensorflow asks for it$/)
  })

  it('prints nothing, not even the advice of TensorFlow.js on first use', async () => {
    const spies = (['log', 'info', 'warn', 'error'] as const).map((level) => vi.spyOn(console, level))
    await selectBackend('auto')
    engine().makeTensor(Float32Array.of(1), [1], 'float32').dispose()
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })

  it.runIf(olderNode)('tensorflow without tfjs-node: an error of one line that says what to do', async () => {
    await expect(selectBackend('tensorflow', project.require)).rejects.toThrow(
      /^TF_BACKEND=tensorflow: @tensorflow\/tfjs-node is not installed\. To have it, .*build-tfjs-node\.sh; or set TF_BACKEND=auto .*$/,
    )
  })

  it.runIf(olderNode)('tensorflow with a broken addon: the same, with the reason', async () => {
    project.install('require("./tfjs_binding.node")', { 'tfjs_binding.node': 'not a library' })
    await expect(selectBackend('tensorflow', project.require)).rejects.toThrow(
      /^TF_BACKEND=tensorflow: .* is installed, but does not load: .+\. To have it, .*$/,
    )
  })

  it.runIf(!olderNode)('tensorflow on a newer Node: an error that names what it lacks', async () => {
    await expect(selectBackend('tensorflow')).rejects.toThrow(
      /^TF_BACKEND=tensorflow: .*util\.isNullOrUndefined/,
    )
  })
})
