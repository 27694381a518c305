"""Words that say in which direction, how much, for whom: what two statements can disagree in.

A word that ends in `*` stands for all that begin so. Each scale has two sides; a word of one side
in the citation and a word of the other in the article, about the same thing, are a difference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

_SCALES: Final[Mapping[str, tuple[str, str]]] = {
    "amount": (
        """increas* elevat* higher highest greater greatest more most raise raises raised raising
        rise rises rising rose risen gain gains gained larger largest bigger longer
        longest upregulat* up-regulat* augment* grow grows grew growth grown expand*
        expansion accelerat* faster fastest quicker doubl* tripl* quadrupl* escalat*
        surge* surged soar* exceed* excess* above over amplif* rapid rapidly prolong*
        extend* lengthen* overexpress* over-express* maximi* heighten* enlarg* stronger
        strongest intensif* heavier thicker taller wider deeper older earlier
        upward* climb* boost* multipl* accumulat* abundan* gained high large long strong
        thicken* widen* deepen* enrich* outnumber* upper oftener speed* hasten* add
        additional extra further maximum widespread worldwide acceler* up upwards""",
        """decreas* reduc* lower lowers lowered lowering lowest less lesser least fewer fewest
        declin* diminish* drop drops dropped dropping fall falls falling fell fallen
        smaller smallest shorter shortest shorten* downregulat* down-regulat* shrink*
        shrank shrunk contract contracts contraction decelerat* slower slowest slow
        slows slowed slowing loss losses lose loses lost losing halv* minimi* deplet*
        below under curtail* lessen* weaker weakest weaken* lighter thinner thinning
        narrow* shallow* younger later downward* dwindl* cut cuts cutting lack
        lacks lacking underexpress* low small short weak delay delays delayed delaying
        dampen* blunt* subside* wane* waning down alleviat* ameliorat* mitigat*
        attenuat* scarc* sparse""",
    ),
    "effect": (
        """activat* induc* promot* stimulat* enhanc* facilitat* trigger* potentiat* support
        supports supported cause causes caused causing produc* lead leads led leading
        elicit* drive drives driven enabl* restor* maintain* stabil* sustain* initiat*
        mediat* allow allows allowed contribut* help helps helped helping encourag*
        strengthen* generat* create* provok* permit* preserv* favor favors favored
        favour favours favoured agonis* agonist* recruit* add adds added form forms""",
        """inhibit* suppress* block blocks blocked blocking prevent* impair* abolish* abrogat*
        inactivat* deactivat* antagoni* disrupt* eliminat* abat* hinder* silenc*
        repress* destabil* interfer* retard* counteract* revers* dampen* block* oppos*
        terminat* degrad* limit limits limited limiting restrict* arrest* halt* stop stops
        stopped stopping obstruct* delet* remov* undermin* discourag* curb* reject*
        negat* avoid* avert* contain contained containing prohibit* hamper* withdraw*
        exclud* knock* knockout* knockdown*""",
    ),
    "value": (
        """improv* better best benefi* effective effectively effectiveness efficac* superior
        superiority favorabl* favourabl* protect* safe safely safety success* advantag*
        positive positively useful helpful tolerat* recover* heal heals healed healing
        cure cured curative outperform* good promising reliable accurate accurately
        accuracy healthy healthier relief reliev* prefer* robust gainful therapeutic
        optimal adequate adequately sufficient feasible eased easier ease""",
        """worse worst worsen* harm harms harmful harmed ineffective inefficac* inferior
        inferiority unfavorabl* unfavourabl* adverse adversely unsafe detriment*
        deleterious negative negatively useless toxic deteriorat* fail fails failed
        failure failures underperform* poor poorer poorly dangerous damag* aggravat*
        exacerbat* lethal risky disadvantag* bad unhealthy futile disappoint* unreliable
        inaccurate danger* inadequat* insufficient infeasible impractical""",
    ),
    "degree": (
        """many most majority mostly frequent frequently common commonly often usually widespread
        prevalent substantial substantially considerable considerably strong strongly
        large largely major numerous highly great greatly significant* markedly marked
        dramatic* profound* predominant* always abundant* all every entire wholly
        generally extensive* ubiquitous* robust* exten* remarkabl* vast overwhelming*
        universal* routine* everywhere full complete completely important
        importantly crucial* critical* essential* key vital""",
        """few minority rare rarely infrequent* uncommon* seldom hardly scarcely scarce slight
        slightly small minor modest* marginal* minimal* negligibl* weak weakly partial*
        limited little tiny sporadic* never only merely barely insignificant*
        nonsignificant* some occasional* trivial* isolated exceptional* unneeded nobody
        nowhere nonessential dispensab* unimportant* unnecessary irrelevant* low mild
        mildly moderate* narrow*""",
    ),
    "presence": (
        """present presence contain contains contained express expresses expressed detect detects
        detected detectable exist exists existed occur occurs occurred found show shows
        showed exhibit* possess* observ* intact available symptomatic
        sufficien* addition includ* display* remain* persist* retain* appear* replet*""",
        """absent absence lack lacks lacking lacked without missing deficien* deplet* undetect*
        devoid loss lost asymptomatic unavailab* asymptomatically
        depriv* disappear* vanish* free knockout knock-out null delet* silent removal
        eradicat* clear clears cleared clearance exclud* omit* omission""",
    ),
    "sensitivity": (
        """susceptib* sensitiv* vulnerab* hypersensitiv* responsive* prone predispos* at-risk
        permissive exposed fragile intoleran*""",
        """resist* immun* insensitiv* protect* refractor* unresponsive* toleran* shield*
        hyposensitiv* nonresponsive* tolerant robust*""",
    ),
    "relation": (
        """associat* link linked links correlat* relat* connect* depend* predict* involv* affect*
        impact* influenc* differ* alter* chang* modif* require* required need needs
        needed necessary determin* play plays role contribut* interact* bind binds
        binding vary varies varied distinct* unequal* dissimilar* discordan* heterogen*
        asymmetr*""",
        """unrelated unassociated independent* uncorrelated unlinked unaffected unchanged similar
        similarly similarity comparable comparably equal equally equivalen* same
        identical* alike unaltered irrespective regardless unconnected neutral parallel
        consisten* homogen* constant stable stably dispensable redundant unpredict*
        irrelevant* indistinguishable noninferior* non-inferior*""",
    ),
    "time": (
        """before prior early earlier initial* first beginning begin begins start starts started
        onset pre* premature* preced* previously rapid* immediate* acute short-term
        prenatal* preoperativ* upstream young younger""",
        """after following late later final* last end ends ended post* subsequent* delayed delay
        follow* chronic long-term postnatal* postoperativ* downstream old older slow
        slowly gradual*""",
    ),
    "ability": (
        """can able ability capab* likely allow* possible possib* enabl* probable probably
        easily""",
        """cannot unable inability incap* unlikely impossib* improbab* difficult* preclud*
        forbid*""",
    ),
    "outcome": (
        """survival survive* life lifespan health recovery remission longevity function quality""",
        """death deaths mortality die dies died fatal* risk risks severity toxicity injur* disease
        infection* symptom* complication* pain relapse* recurrence* failure failures
        incidence hazard burden damage""",
    ),
    "place": (
        """inside within internal* intracellular* upper top superficial* proximal* central*
        anterior* left indoor* intra* direct directly increase-of endogenous* primary
        aerob*""",
        """outside external* extracellular* lower bottom deep distal* peripheral* posterior* right
        outdoor* extra* indirect* exogenous* secondary anaerob*""",
    ),
}

_ON_NO_SCALE: Final = """
alternat* differential* differentiat* double-blind* extract* extracorpor* extraordinar*
extrapol* hypospad* hypothala* hypothe* immunoassay* immunoblot* immunofluor* immunoglob*
immunohist* immunoprecip* immunoreact* immunosorb* immunostain* postal postcard* poster* postpon*
postur* precis* predni* pregabalin* pregnan* preliminar* prepar* prescri* present* pressur*
prevalen* product products productiv* relative* surgeo* surger* surgic*
"""
"""What begins as words of a scale do and says nothing of it."""
_NEGATING: Final = """
not no never neither nor without cannot n't none nobody nothing hardly scarcely rarely fail
fails failed failing unable lack lacks lacked lacking absence absent non rather instead seldom
nowhere unlikely little didn't doesn't don't wasn't weren't isn't aren't can't couldn't won't
wouldn't hasn't haven't hadn't shouldn't mustn't
"""
_NEGATORS: Final = frozenset(_NEGATING.split())
"""Words that turn round what follows, or say that it is not there."""
NOUN_NEGATORS: Final = frozenset(
    ("lack", "lacks", "lacked", "lacking", "absence", "absent", "without")
)
"""Those that say so of what is named next."""

UNCONDITIONAL: Final = frozenset(
    (
        *("only", "solely", "exclusively", "all", "every", "always", "everyone", "everybody"),
        *("entire", "each", "none", "never", "nobody", "any", "no", "completely", "entirely"),
        *("totally", "fully", "wholly", "perfectly", "exactly", "cannot", "must", "impossible"),
        *("definitely", "certainly", "proven", "proves", "guarantee", "guarantees"),
    )
)
"""Words that leave no exception and no doubt."""

_SIDES: Final = (1, -1)


@dataclass(frozen=True, slots=True)
class Sense:
    """A side of a scale: 1 for its first words, -1 for those that are opposite."""

    scale: str
    side: int


def _spread() -> tuple[dict[str, list[Sense]], dict[str, list[Sense]]]:
    """Return the senses of whole words, and of beginnings of words."""
    whole: dict[str, list[Sense]] = {}
    beginnings: dict[str, list[Sense]] = {}
    for scale, sides in _SCALES.items():
        for side, words in zip(_SIDES, sides, strict=True):
            for word in dict.fromkeys(words.split()):
                table = beginnings if word.endswith("*") else whole
                table.setdefault(word.removesuffix("*"), []).append(Sense(scale, side))
    for word in _ON_NO_SCALE.split():
        beginnings.setdefault(word.removesuffix("*"), [])
    return whole, beginnings


_WHOLE, _BEGINNINGS = _spread()
_LONGEST = max(map(len, _BEGINNINGS))
SCALES: Final = tuple(_SCALES)


@lru_cache(maxsize=50_000)
def find_senses(word: str) -> tuple[Sense, ...]:
    """Return the senses of a word in lower case; none for most words.

    The longest beginning counts, and a whole word counts beside it.
    """
    found = list(_WHOLE.get(word, ()))
    for length in range(min(_LONGEST, len(word)), 2, -1):
        if word[:length] in _BEGINNINGS:
            found += _BEGINNINGS[word[:length]]
            break
    by_scale: dict[str, int] = {}
    for sense in found:
        by_scale.setdefault(sense.scale, sense.side)
    return tuple(Sense(scale, side) for scale, side in by_scale.items())


_ANTONYMS: Final = Path(__file__).parent / "models" / "antonyms.txt"
_PREFIXES: Final = ("non", "un", "in", "im", "ir", "il", "dis", "de", "a", "anti")
_LEAST_STEM: Final = 5


@lru_cache(maxsize=50_000)
def find_opposites(word: str) -> tuple[str, ...]:
    """Return what a word in lower case would be the opposite of by its prefix: "soluble" for
    "insoluble", "hypotension" for "hypertension"; most of them are no words."""
    for prefix, other in (("hyper", "hypo"), ("hypo", "hyper")):
        if word.startswith(prefix):
            return (other + word.removeprefix(prefix),)
    rests = (
        word.removeprefix(prefix).lstrip("-") for prefix in _PREFIXES if word.startswith(prefix)
    )
    return tuple(rest for rest in rests if len(rest) >= _LEAST_STEM)


@cache
def read_antonyms() -> Mapping[str, Sequence[str]]:
    """Return the stems of the antonyms of each stem, of WordNet (`models/antonyms.md`)."""
    found: dict[str, list[str]] = {}
    for line in _ANTONYMS.read_text().splitlines():
        stem, other = line.split()
        found.setdefault(stem, []).append(other)
        found.setdefault(other, []).append(stem)
    return found


def is_negator(word: str) -> bool:
    """Whether a word in lower case negates what follows."""
    return word in _NEGATORS or word.endswith(("n't", "n’t"))


_GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "species": {
        "people": """patient patients human humans people person persons participant participants
            volunteer volunteers men women man woman children adults child adult infants girls boys
            individuals outpatients inpatients""",
        "mice": "mouse mice murine",
        "rats": "rat rats",
        "monkeys": "monkey monkeys macaque macaques primates baboons",
        "pigs": "pig pigs swine piglets porcine",
        "dogs": "dog dogs canine",
        "rabbits": "rabbit rabbits",
        "zebrafish": "zebrafish",
        "flies": "drosophila",
        "yeast": "yeast cerevisiae",
        "worms": "elegans",
        "cows": "cow cows cattle bovine calves",
        "sheep": "sheep ovine lambs",
        "cats": "cat cats feline",
        "ferrets": "ferret ferrets",
        "hamsters": "hamster hamsters",
    },
    "age": {
        "children": """child children paediatric pediatric infant infants neonate neonates newborn
            newborns toddlers schoolchildren preschoolers""",
        "adolescents": "adolescent adolescents teenagers",
        "adults": "adult adults",
        "elderly": "elderly older-adults geriatric seniors",
    },
    "sex": {"men": "men man male males boys boy", "women": "women woman female females girls girl"},
}
_GROUPS_OF: Final[dict[str, tuple[tuple[str, str], ...]]] = {}
for _kind, _groups in _GROUPS.items():
    for _group, _members in _groups.items():
        for _word in _members.split():
            _GROUPS_OF[_word] = (*_GROUPS_OF.get(_word, ()), (_kind, _group))


def find_groups(word: str) -> tuple[tuple[str, str], ...]:
    """Return the groups of people or animals that a word names, each with its kind."""
    return _GROUPS_OF.get(word, ())


# Words that name the same thing, where a citing author often takes another than the cited one.
_SAME: Final = (
    "death deaths die dies died dying mortality fatality fatalities fatal lethality",
    "coronavirus coronaviruses covid sars ncov betacoronavirus mers virus viruses viral",
    "child children kids pediatric paediatric",
    "infant infants baby babies newborn newborns neonate neonates neonatal",
    "cancer cancers tumor tumors tumour tumours carcinoma carcinomas malignancy malignancies",
    "mouse mice murine",
    "heart cardiac cardiovascular coronary myocardial",
    "kidney kidneys renal nephropathy",
    "liver hepatic",
    "lung lungs pulmonary",
    "brain cerebral",
    "drug drugs medication medications medicine medicines",
    "treatment treatments therapy therapies treat treated treating",
    "spread spreads spreading transmission transmit transmits transmitted transmissible",
    "infect infects infected infection infections infectious",
    "woman women female females",
    "man men male males",
    "elderly older aged",
    "weight obese obesity overweight bmi",
    "people persons individuals patients subjects participants",
    "risk risks likelihood odds chance chances probability hazard",
    "illness disease diseases ill sick sickness",
    "ventilator ventilators ventilation ventilated",
    "hospital hospitals hospitalization hospitalizations hospitalisation hospitalized hospitalised",
    "study studies trial trials",
    "bone bones skeletal",
    "blood plasma serum",
    "diarrhea diarrhoea",
    "anemia anaemia",
    "vaccine vaccines vaccination vaccinated immunization immunisation",
    "smoking smokers smoke tobacco",
    "pregnancy pregnant gestation gestational",
    "lifespan longevity survival survive survives survived",
    "gene genes genetic genetically genome genomic",
    "estrogen oestrogen",
    "leukemia leukaemia",
)
SYNONYMS: Final[Mapping[str, str]] = {
    word: words.split()[0] for words in _SAME for word in words.split()
}
