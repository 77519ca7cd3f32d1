import type { Models } from '../../service/models/library/models.js'
import type { Liveness } from '../../service/process/liveness.js'
import type { LimitVariables } from '../../service/request/limit-variables.js'

/** The parts that the routes of the Open Inference Protocol share. */
export interface InferenceContext {
  readonly models: Models
  readonly limits: LimitVariables
  readonly liveness: Liveness
}

/** A path with `:model` in it, and perhaps `:version`. */
export interface ModelPath {
  Params: { model: string; version?: string }
}

/** The two routes of an operation below a model: `/v2/models/:model/infer` and `/v2/models/:model/versions/:version/infer`. */
export function modelRoutes(operationId: string, end = '') {
  const [url, ofVersion] = modelPaths(end)
  return [
    { url, schema: { operationId } },
    { url: ofVersion, schema: { operationId: `${operationId}Version` } },
  ]
}

/** The two forms of a path below a model. */
export function modelPaths(end = ''): readonly string[] {
  const tail = end && `/${end}`
  return [`/v2/models/:model${tail}`, `/v2/models/:model/versions/:version${tail}`]
}
