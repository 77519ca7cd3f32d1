import type { Feature } from '../../service/feature.js'
import { addInferenceProtocol } from './routes.js'

/** `/v2`: the Open Inference Protocol of KServe and Triton. */
export const openInference: Feature = {
  name: 'open-inference',
  document: () => import('./document.js'),
  routes(app, { models, config, liveness }) {
    addInferenceProtocol(app, { models, limits: config, liveness })
  },
}
