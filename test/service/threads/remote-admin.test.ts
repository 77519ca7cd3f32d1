import { describe, expect, it } from 'vitest'
import { InletError } from '../../../src/service/answer/error-table.js'
import { RemoteAdmin } from '../../../src/service/threads/remote-admin.js'
import { RemoteCalls } from '../../../src/service/threads/remote-calls.js'
import { sent } from '../../../src/service/threads/sent-errors.js'

type Call = { id: number; room: string; method: string; args: readonly unknown[] }

describe('RemoteAdmin', () => {
  const calls: Call[] = []
  const remote = new RemoteCalls((id, room, method, args) => calls.push({ id, room, method, args }))
  const admin = new RemoteAdmin(remote)

  it('sends each call with the method’s name and all its arguments', () => {
    const tables = {} as never
    const header = new Uint8Array([1, 2])
    void admin.make({ id: 'a' } as never)
    void admin.load('b')
    void admin.unload('c')
    void admin.remove('d')
    void admin.openUpload({ id: 'e' } as never)
    void admin.commitUpload(6, 'sum')
    void admin.abandonUpload(7)
    void admin.digest(tables, header)
    expect(calls.splice(0).map(({ room, method, args }) => [`${room}.${method}`, ...args])).toEqual([
      ['models.make', { id: 'a' }],
      ['models.load', 'b'],
      ['models.unload', 'c'],
      ['models.remove', 'd'],
      ['models.openUpload', { id: 'e' }],
      ['models.commitUpload', 6, 'sum'],
      ['models.abandonUpload', 7],
      ['models.digest', tables, header],
    ])
  })

  it('settles each call with its own answer, in any order', async () => {
    const first = admin.load('x')
    const second = admin.load('y')
    const third = admin.load('z')
    const [x, y, z] = calls.splice(0)
    remote.take({ type: 'answer', id: y!.id, result: 'of y' })
    remote.take({
      type: 'answer',
      id: z!.id,
      error: sent(new InletError('model_not_found', 'no z', 'model')),
    })
    remote.take({ type: 'answer', id: x!.id, result: 'of x' })
    expect(await second).toBe('of y')
    expect(await first).toBe('of x')
    await expect(third).rejects.toMatchObject({ code: 'model_not_found', message: 'no z', param: 'model' })
  })
})
