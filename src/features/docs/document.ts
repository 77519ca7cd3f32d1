import { z } from 'zod'
import { answer, type Operations } from '../../service/document/operation.js'

export const tag = 'Service'

export const operations: Operations = {
  getOpenApiJson: {
    summary: 'This document as JSON',
    description: 'The same as /openapi.yaml.',
    answers: { 200: answer(z.any().meta({ type: 'object' }), 'This document as JSON') },
  },
  getOpenApiYaml: {
    summary: 'This document as YAML',
    description: 'The file of the repository, as it is.',
    answers: { 200: { description: 'This document as YAML' } },
  },
  getDocs: {
    summary: 'This document as a page',
    description: 'Works without the internet: everything that it loads comes from this service.',
    answers: { 200: { description: 'This document as a page' } },
  },
}
