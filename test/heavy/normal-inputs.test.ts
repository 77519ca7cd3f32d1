import { test } from 'vitest'
import { checkNormalInputs } from '../twins/normal-inputs.js'

// The kernel rounds twice where PyTorch fuses; that it makes no difference is shown by trying all there is.
test('all 2^24 uniform numbers give the radius, cosine and sine of the twin', () => {
  checkNormalInputs(0, 1)
})
