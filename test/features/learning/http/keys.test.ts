import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManagedService, managedService } from '../../../managed.js'
import { ownFolder } from '../../../service/own.js'
import { Trainer } from './trainer.js'

const folder = ownFolder('learn')
const CALLERS = [
  { name: 'trainer', key: 'trainer-key', models: ['book'], learn: ['book'] },
  { name: 'reader', key: 'reader-key' },
]

let service: ManagedService
beforeAll(async () => {
  const path = join(folder, 'callers.json')
  writeFileSync(path, JSON.stringify({ callers: CALLERS }))
  service = await managedService({ API_KEYS_FILE: path })
})
afterAll(() => service.close())

const as = (key: string) => ({ authorization: `Bearer ${key}` })

describe('the routes of learning', () => {
  test('are open to the admin and to a key with the model under `learn`', async () => {
    const book = new Trainer(service.app, 'book')
    const optimizer = { type: 'sgd', lr: 1 }
    expect((await book.send('PUT', 'optimizer', optimizer, as('trainer-key'))).status).toBe(201)
    expect((await book.send('GET', 'optimizer', undefined, as('trainer-key'))).status).toBe(200)
    expect((await book.send('GET', 'optimizer')).status).toBe(200)
    expect((await book.send('DELETE', 'optimizer', undefined, as('trainer-key'))).status).toBe(204)
  })

  test.each([
    ['reader-key', 'book', 403, 'forbidden'],
    ['trainer-key', 'default', 403, 'forbidden'],
    ['trainer-key', 'none', 403, 'forbidden'],
    ['no-key', 'book', 401, 'unauthorized'],
  ])('are closed to %s for %s: %i', async (key, model, status, code) => {
    const answer = await new Trainer(service.app, model).send('GET', 'optimizer', undefined, as(key))
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  test('other routes that change the model stay the admin’s', async () => {
    const answer = await new Trainer(service.app, 'book').send('POST', 'unload', undefined, as('trainer-key'))
    expect(answer.status).toBe(403)
  })
})
