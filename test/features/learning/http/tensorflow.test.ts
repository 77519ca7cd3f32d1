import { expect, test } from 'vitest'
import { learnableModel } from '../../../../src/features/learning/routes.js'
import { managedService } from '../../../managed.js'
import { Trainer } from './trainer.js'

test('under TF_BACKEND=tensorflow no model learns, and every route says so', async () => {
  const service = await managedService()
  try {
    Object.defineProperty(service.models, 'backend', { get: () => ({ name: 'tensorflow' }) })
    const refused = { code: 'unsupported_combination', message: expect.stringContaining('Given: tensorflow') }
    expect(() => learnableModel(service.models as never, 'book')).toThrow(expect.objectContaining(refused))
    const book = new Trainer(service.app, 'book')
    const answers = [
      await book.begin({ type: 'sgd' }),
      await book.gradients(Buffer.alloc(16)),
      await book.step(),
      await book.restore(Buffer.alloc(16)),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(422)
      expect(body.error).toMatchObject(refused)
    }
    expect((await book.send('GET')).body.learning).toBeNull()
  } finally {
    await service.close()
  }
})
