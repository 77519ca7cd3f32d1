import { z } from 'zod'
import { object } from '../../service/document/components.js'
import { answer, type Operations } from '../../service/document/operation.js'

export const tag = 'Service'

const health = object('Health', { status: z.enum(['live', 'ready']) })

export const operations: Operations = {
  getLiveness: {
    summary: 'The process answers',
    description:
      '200 as soon as the port is open. 503 if the first thread has not had a turn for ten seconds.',
    answers: { 200: answer(health, 'The process answers') },
    errors: ['not_live'],
  },
  getReadiness: {
    summary: 'The tables are there, and the service does not stop',
    description:
      '503 while the tables are being made, and from the signal to stop on: requests are to go elsewhere.',
    answers: { 200: answer(health, 'The tables are there, and the service does not stop') },
    errors: ['loading', 'stopping', 'not_live'],
  },
}
