import { Model, type ModelOptions, type ModelSpec } from './model.js'

/** The process's model: made once, whoever asks. */
let singleton: Promise<Model> | undefined

/** The model of this process, with its tables. The first call draws them; later calls get the same. */
export function loadModel(spec: ModelSpec, options: ModelOptions): Promise<Model> {
  singleton ??= Model.create(spec, options)
  return singleton
}
