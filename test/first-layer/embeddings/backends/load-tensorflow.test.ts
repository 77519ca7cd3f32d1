import util from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadTensorflow } from '../../../../src/first-layer/embeddings/backends/select.js'
import { FakeProject } from './fake-package.js'

describe('loadTensorflow', () => {
  let project: FakeProject

  beforeEach(() => {
    project = new FakeProject()
  })

  afterEach(() => {
    project.remove()
    Reflect.deleteProperty(globalThis, 'fakeTensorflow')
  })

  it('loads the package, which then prints no notes on the CPU', () => {
    project.install('globalThis.fakeTensorflow = process.env.TF_CPP_MIN_LOG_LEVEL')
    loadTensorflow(project.require)
    expect(Reflect.get(globalThis, 'fakeTensorflow')).toBe('2')
  })

  it('refuses without the package', () => {
    expect(() => loadTensorflow(project.require)).toThrow(/: @tensorflow\/tfjs-node is not installed\. To/)
  })

  it('refuses a package without its addon with the first line of the reason', () => {
    project.install(
      'throw new Error("The Node.js native addon module (x.node) can not be found at path: y.\\nz")',
    )
    expect(() => loadTensorflow(project.require)).toThrow(
      / is installed, but does not load: The Node.* y\.\. To/,
    )
  })

  it('gives the package what it calls of util, also where Node has no more of it', () => {
    Reflect.deleteProperty(util, 'isNullOrUndefined')
    project.install(
      `globalThis.fakeTensorflow = [null, undefined, 0, ''].map(require('util').isNullOrUndefined)`,
    )
    loadTensorflow(project.require)
    expect(Reflect.get(globalThis, 'fakeTensorflow')).toEqual([true, true, false, false])
  })
})
