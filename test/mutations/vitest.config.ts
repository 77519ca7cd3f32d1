import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.js'
import { testFiles } from '../processes.js'

const { projects: _, ...test } = base.test ?? {}
const { alone, together } = testFiles()

/** Each file in a process of its own: what it calls is told of it alone, and what it imports is mutated. */
export default defineConfig({ ...base, test: { ...test, include: [...alone, ...together] } })
