"""Which window stands at place g of an epoch under `shuffle=index`: any place, in constant memory."""

M32 = 2**32 - 1


def mix(x):  # MurmurHash3's finalizer
    x = (x ^ x >> 16) * 0x85EBCA6B & M32
    x = (x ^ x >> 13) * 0xC2B2AE35 & M32
    return x ^ x >> 16


def round_keys(seed, epoch, stream=0):  # stream: a mixture's dataset, counted from 0
    words = (seed & M32, seed >> 32 & M32, epoch, stream)
    golden = [0x9E3779B9 * i & M32 for i in range(1, 33)]
    return [mix(sum(mix(w ^ golden[4 * r + q]) for q, w in enumerate(words)) & M32) for r in range(8)]


def window_at(g, n, keys):
    half = max(1, -(-(n - 1).bit_length() // 2))
    while True:  # a Feistel network permutes 0 … 4^half − 1; it is walked until a number is below n
        left, right = g >> half, g & (1 << half) - 1
        for key in keys:
            left, right = right, left ^ mix(right + key & M32) & (1 << half) - 1
        g = left << half | right
        if g < n:
            return g
