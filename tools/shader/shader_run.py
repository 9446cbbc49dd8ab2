def part(words): return 1
