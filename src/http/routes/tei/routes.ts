import type { FastifyInstance } from 'fastify'
import type { Models } from '../../../models/library/models.js'
import type { LimitVariables } from '../../limit-variables.js'
import { addTeiDecode } from './decode.js'
import { addTeiEmbed } from './embed.js'
import { addTeiFacts } from './facts.js'
import { addTeiTokenize } from './tokenize.js'

/** Text Embeddings Inference's routes, below a base URL for each model: `/tei/{model}`. */
export function addTeiRoutes(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  addTeiEmbed(app, models, limits)
  addTeiTokenize(app, models, limits)
  addTeiDecode(app, models, limits)
  addTeiFacts(app, models)
}
