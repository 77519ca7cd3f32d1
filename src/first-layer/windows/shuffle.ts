export * from '../random/permutation.js' // until the features import it from there
