import { engine, getBackend, version_core } from '@tensorflow/tfjs-core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { selectBackend } from '../../../../src/first-layer/embeddings/backends/select.js'
import { FakeProject } from './fake-package.js'

describe('selectBackend', () => {
  let project: FakeProject

  beforeEach(() => {
    project = new FakeProject()
  })

  afterEach(() => {
    project.remove()
  })

  it('selects cpu for TF_BACKEND=cpu, which is the reason', async () => {
    const selected = await selectBackend('cpu')
    expect(selected).toEqual({ name: 'cpu', version: version_core, reason: 'TF_BACKEND=cpu' })
    expect(getBackend()).toBe('cpu')
  })

  it('selects cpu for auto without tfjs-node, with the reason that it is not installed', async () => {
    const { name, reason } = await selectBackend('auto', project.require)
    expect(name).toBe('cpu')
    expect(reason).toMatch(/the faster for these lookups; @tensorflow\/tfjs-node is not installed$/)
  })

  it('selects cpu for auto with tfjs-node, broken or not, without loading it', async () => {
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

  it('refuses tensorflow without tfjs-node in one line, with the remedy', async () => {
    await expect(selectBackend('tensorflow', project.require)).rejects.toThrow(
      /^TF_BACKEND=tensorflow: @tensorflow\/tfjs-node is not installed\. To have it, .*build-tfjs-node\.sh; or set TF_BACKEND=auto .*$/,
    )
  })

  it('refuses tensorflow with a broken addon in one line, with the reason', async () => {
    project.install('require("./tfjs_binding.node")', { 'tfjs_binding.node': 'not a library' })
    await expect(selectBackend('tensorflow', project.require)).rejects.toThrow(
      /^TF_BACKEND=tensorflow: .* is installed, but does not load: .+\. To have it, .*$/,
    )
  })
})
