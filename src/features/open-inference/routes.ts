import type { FeatureApp } from '../../service/feature.js'
import type { InferenceContext } from './context.js'
import { addInferenceHealth } from './health.js'
import { addInfer } from './infer.js'
import { addInferenceModels } from './models.js'
import { addNotImplemented } from './not-implemented.js'
import { addInferenceServer } from './server.js'

/** The Open Inference Protocol, version 2, for every model: `/v2` and all below it. */
export function addInferenceProtocol(app: FeatureApp, context: InferenceContext): void {
  addInferenceHealth(app, context)
  addInferenceServer(app, context)
  addInferenceModels(app, context)
  addInfer(app, context)
  addNotImplemented(app)
}
