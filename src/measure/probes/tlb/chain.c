#include "measure/probes/tlb/chain.h"

#include "base/random.h"
#include "measure/kernels/ring.h"

#include <string.h>

enum { SMALL_PAGE = 4096 };

static size_t block_bytes(const struct tlb_chain *chain)
{
    return chain->layout == TLB_PACKED   ? chain->line_bytes
           : chain->layout == TLB_SPREAD ? chain->page_bytes
                                         : chain->page_bytes * TLB_GROUP;
}

/* From page to page, the line's place advances by one line and by 4 KiB. By one line, as in the
 * packed chain, so that both chains use the sets of a cache that is indexed below 4 KiB alike: at
 * the same place on every page, all lines would be in one set, and cache misses would look like TLB
 * misses. By 4 KiB, because a hypervisor may have split huge pages: at multiples of 2 MiB all
 * pieces would be in one set of the TLB. */
size_t tlb_chain_offset(const struct tlb_chain *chain, size_t i)
{
    const size_t block = i * block_bytes(chain);
    if (chain->layout == TLB_PACKED)
        return block;
    size_t lines = chain->page_bytes / chain->line_bytes;
    /* The sum of the digits: in every run of TLB_GROUP^k groups, each page of a group comes equally
     * often with each value of the k - 1 lowest digits. */
    size_t page = 0;
    for (size_t rest = chain->layout == TLB_SPARSE ? i : 0; rest; rest /= TLB_GROUP)
        page = (page + rest) % TLB_GROUP;
    size_t step = SMALL_PAGE / chain->line_bytes + 1;
    size_t line = (i * step + (size_t)(random_mix(chain->seed) % lines)) % lines;
    return block + page * chain->page_bytes + line * chain->line_bytes;
}

size_t tlb_chain_bytes(const struct tlb_chain *chain)
{
    return chain->count * block_bytes(chain);
}

void *tlb_chain_build(const struct tlb_chain *chain)
{
    const size_t block = block_bytes(chain);
    struct ring ring = {.memory = chain->memory,
                        .count = chain->count,
                        .stride = block,
                        .order = RING_RANDOM,
                        .seed = chain->seed};
    ring_build(&ring);
    /* The ring was built on the blocks' first words; this moves each link to its block's line. */
    for (size_t i = 0; i < chain->count; i++) {
        unsigned char *next;
        memcpy(&next, chain->memory + i * block, sizeof next);
        void *target =
            chain->memory + tlb_chain_offset(chain, (size_t)(next - chain->memory) / block);
        memcpy(chain->memory + tlb_chain_offset(chain, i), &target, sizeof target);
    }
    return chain->memory + tlb_chain_offset(chain, 0);
}
