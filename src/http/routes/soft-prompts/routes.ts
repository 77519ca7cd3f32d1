import type { FastifyInstance } from 'fastify'
import type { Models } from '../../../models/library/models.js'
import type { LimitVariables } from '../../limit-variables.js'
import { addSoftPromptObjects } from './objects.js'
import { addPutSoftPrompt } from './put.js'

/** The routes of soft prompts; those that change them need the admin key. */
export function addSoftPromptRoutes(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  addPutSoftPrompt(app, models)
  addSoftPromptObjects(app, models, limits)
}
