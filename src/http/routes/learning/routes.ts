import type { FastifyInstance } from 'fastify'
import { addCheckpointRoutes } from './checkpoint.js'
import type { LearningContext } from './context.js'
import { addGradientsRoute } from './gradients.js'
import { addOptimizerRoutes } from './optimizer.js'
import { addStepsRoute } from './steps.js'

/** The routes of learning: a trainer's optimizer, gradients, steps and checkpoints. */
export function addLearningRoutes(app: FastifyInstance, context: LearningContext): void {
  addOptimizerRoutes(app, context)
  addGradientsRoute(app, context)
  addStepsRoute(app, context)
  addCheckpointRoutes(app, context)
}
