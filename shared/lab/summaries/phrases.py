"""The words by which a sentence says that it states a field."""

import re
from typing import Final

from shared.domain.experiments import SummaryField


def _any(*patterns: str) -> str:
    return "|".join(f"(?:{one})" for one in patterns)


# The document speaks of itself.
OWN: Final = re.compile(
    _any(
        r"\bwe\b",
        r"\bour\b",
        r"\bus\b",
        r"\b(?:this|the (?:present|current)) (?:paper|work|study|research|article|trial|thesis|report)\b",
    ),
    re.I,
)
# … or shows what it has.
SELF: Final = re.compile(
    rf"{OWN.pattern}|\b(?:fig(?:ure)?s?|tables?)\.? ?\d|\b(?:here|herein|in contrast|the present results)\b", re.I
)
# Said to be what came of it.
SAID: Final = re.compile(
    r"\b(?:results?|findings|fig(?:ure)?s?\.? ?\d+\w?) (?:[\w.-]+ ){0,6}(?:show|indicate|suggest|demonstrate|confirm"
    r"|reveal)s? (?:that|how)\b",
    re.I,
)
# What the study is for, said of the study: `this research assessed`, `our goal is`.
AIM: Final = re.compile(
    _any(
        r"\b(?:this|the (?:present|current)|our) (?:paper|work|study|research|article|trial|thesis"
        r"|report|experiment)s?\b",
        r"\b(?:aim(?:s|ed|ing)?|goals?|objectives?|purpose|target|hypothes[ie]s|we seek)\b",
        r"\b(?:was|were) (?:examined|investigated|studied|explored)\b",
    ),
    re.I,
)
# A list of what the document adds begins.
CONTRIBUTIONS: Final = re.compile(r"^(?s:(?>.*\b(?:contributions?|objectives|aims|hypotheses)\b))[^.]*:$", re.I)
# Limitations are told from here on, and what of the rest tells one.
CONCEDES: Final = re.compile(
    r"\b(?:limitations?|caveats?|weakness(?:es)?|shortcomings?)\b[^.]{0,60}\b(?:study|work|results?|approach|analys[ie]s"
    r"|trial|method|data|here)\b"
    r"|\b(?:our|this|the present|several|some|following) (?:\w+ ){0,3}(?:limitations?|caveats?)\b",
    re.I,
)
# What others lack, and this work may mend.
OF_OTHERS: Final = re.compile(
    r"\b(?:these|those|existing|previous|other|similar) (?:\w+ )?(?:limitation|weakness|shortcoming|drawback)"
    r"|\b(?:these|those|existing|previous|other) (?:models?|methods?|approach(?:es)?|systems?) have\b",
    re.I,
)
CONCEDED: Final = re.compile(
    r"\b(?:not|cannot|only|may|might|could|limited|small|lack(?:s|ed|ing)?|despite|although|loss|fail(?:s|ed)?|un\w+able"
    r"|narrow(?:er)?|difficult|single|self-report\w*)\b",
    re.I,
)
# A name in the sentence, as data sets have one.
NAMED: Final = re.compile(r"(?<=[\w,)] )[A-Z][\w-]*\w")
_STUDIED: Final = (
    r"(?:carried out|conducted|performed|stud(?:y|ied)|investigated|examined|analy[sz]ed|measured|report(?:s|ed)"
    r"|f[io]u?nds?|show(?:s|ed|n)|observed|noted|concluded|suggest(?:s|ed)|demonstrated|describe[sd]?|determined|estimated|tested)"
)
# A sentence that begins with others: "Frone et al. (1992) found", "Lin & Pantel (2001) learned".
OTHERS: Final = re.compile(
    # What is left of such a sentence behind `et al.`
    r"^\((?:19|20)\d\d[a-z]?\),? (?:also )?(?:observ|f[io]u?nd|conclud|report|show|detect|suggest)"
    r"|^(?:[\w-]+ ){0,4}[A-Z][\w’-]+(?:,? (?:&|and) [A-Z][\w’-]+| et al\.?,?)? \((?:19|20)\d\d[a-z]?\)"
    # By a number alone: "Dean [14] carried out experiments", and nobody by name: "was studied in a pilot plant [7]."
    rf"|\b(?-i:[A-Z][a-z’'-]+) \[\d{{1,3}}\],? {_STUDIED}\b"
    # The last such words decide: those before stand farther from the number.
    rf"|^(?!.*\b(?:we|our)\b)(?>.*\b(?:was|were|been) {_STUDIED}\b)[^.;]*\[\d{{1,3}}(?:\s?[,–-]\s?\d{{1,3}})*\]\W*$"
    # Named without a year, as where a number follows at the end: "Xia and colleagues studied …".
    r"|^(?:[\w-]+,? ){0,4}[A-Z][\w’'-]+(?:,? (?:&|and) [A-Z][\w’-]+)? (?:et al\b|and (?:his |her |their )?(?:colleagues"
    r"|co-?workers|associates)\b)"
    r"|^(?:[\w-]+,? ){0,2}(?:in |by |from )?(?:another|an? (?:previous|earlier|recent|similar)|other) stud(?:y|ies)\b"
    r"|^it is (?:well |widely |generally )?(?:known|accepted|established)\b"
    r"|^(?:previous|prior|recent|existing|earlier) (?:work|stud|research|method|approach)|\b(?:they"
    r"|the authors) (?:report|found|show|have used|obtained)\b",
    re.I,
)
# A sentence that ends with whose finding it is: `[12]`, `(Smith et al., 2010)`, `(23)`.
CITED: Final = re.compile(
    r"(?:\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]|\((?:[^()]{0,80}[;,] ?)?(?:19|20)\d\d[a-z]?\)"
    r"|(?<=[a-z]) \(\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\))\W*$"
)
WORDS_MIN: Final = 8
# Words that hardly any English sentence does without.
_ENGLISH: Final = re.compile(r"\b(?:the|of|and|to|is|are|were|with|for|by|from|this|that|we|as|at)\b", re.I)
METRIC: Final = re.compile(
    _any(
        r"\bF-?1\b",
        r"\bf-?(?:1-?)?(?:score|measure)s?\b",
        r"\bprec(?:ision|\.)?(?!\w)",
        r"\brec(?:all|\.)?(?!\w)",
        r"\bacc(?:urac(?:y|ies)|\.)?(?!\w)",
        r"\bBLEU\b",
        r"\bROUGE(?:-\w+)?\b",
        r"\bMETEOR\b",
        r"\bexact match\b",
        r"\bEM\b",
        r"\bAUC\b",
        r"\bROC\b",
        r"\bMAP\b",
        r"\bMRR\b",
        r"\bn?DCG\b",
        r"\bperplexity\b",
        r"\bWER\b",
        r"\b(?:error|success|survival|response|mortality) rates?\b",
        r"\b(?:R?MSE|MAE|MAPE)\b",
        r"\bspecificity\b",
        r"\bsensitivity\b",
        r"\bscores?\b",
        r"\blatency\b",
        r"\bthroughput\b",
        r"\brun ?times?\b",
        r"\bquality of life\b",
        r"\b(?:uni|multi)-?variate F\b",
        r"\bodds ratio\b",
        r"\bhazard ratio\b",
        r"\byield\b",
        r"\befficien\w+\b",
        r"\bcorrelation\b",
    ),
    re.I,
)
# What is a share of what there is, printed of 1 or of 100.
SHARE: Final = re.compile(
    r"\b(?:F-?\d?|F-?(?:1-?)?(?:score|measure)s?|prec(?:ision|\.)?|rec(?:all|\.)?|acc(?:urac(?:y|ies)|\.)?|exact match"
    r"|EM|AUC|BLEU|ROUGE(?:-\w+)?|METEOR|m?AP|MAP|MRR|n?DCG|WER|specificity|sensitivity"
    r"|(?:error|success|survival|response|mortality) rates?)(?!\w)",
    re.I,
)
# A column or row of a table of results that is named by a measure; short forms stand alone there.
METRIC_LABEL: Final = re.compile(METRIC.pattern + r"|^(?:P|R|F|r|p|F-value|t|β|SE|SD|M|Mean|Δ)$|\([FRP]1?\)", re.I)
_DATA: Final = (
    r"(?:data ?-?sets?|datat?sets|corpus|corpora|test sets?|training (?:set|data|examples)|validation sets?"
    r"|development sets?"
    r"|train(?:ing)? and test|parallel corpus)"
)
_COUNTED: Final = (
    r"(?:participants|subjects|patients|respondents|volunteers|individuals|users|annotators|samples?|sentences"
    r"|tokens|messages|tweets|"
    r"documents|dialogues|questions|pairs|examples|instances|images|records|reviews|utterances|articles|employees"
    r"|animals|mice|pages|tables|programs?|files|cells|cohort)"
)
COUNTED: Final = re.compile(
    rf"(?<![\d,.])\d++(?:[,.]\d++|(?!))*+\s?[kKM]?(?: million)?(?: [\w/()-]+){{0,4}} {_COUNTED}\b", re.I
)
PHRASES: Final[dict[SummaryField, re.Pattern[str]]] = {
    "objective": re.compile(
        _any(
            r"\bwe (?:\w+ ){0,2}(?:propose|present|introduce|investigate|explore|tackle|study|examine|formulate"
            r"|seek to|aim to)\b",
            r"\b(?:research|study|paper|work|trial|objective|intention) (?:\w+ )?(?:aims?|aimed|seeks?|focuses"
            r"|assessed|investigates?"
            r"|examines?|explores?|presents?|provides|addresses)\b",
            # What a paper does is what it is for; what it shows is what came of it.
            r"\bthis (?:paper|article|report|vignette|manual) (?:\w+ly )?(?!is|was|has|does|shows|finds|concludes"
            r"|suggests|indicates|confirms)[a-z]+s\b",
            r"\baim(?:s|ed|ing)? to\b",
            r"\b(?:was|were) (?:examined|investigated|studied|explored)\b",
            r"\bto (?:determine|examine|assess|evaluate|investigate|test|explore) (?:whether|if|how|the (?:effect"
            r"|impact|influence|efficacy|role))\b",
            r"\b(?:our|the) (?:(?:main|primary|overall|ultimate) )?(?:goal|aim|target|objective|purpose) (?:of [\w ]+ "
            r")?(?:is|was)\b",
            r"\bfills this gap\b",
            r"\bcontributions? of (?:this|our|the)\b",
            r"\b(?:primary|secondary|main)? ?objectives?\s?:",
            r"\bhypothes[ie]s (?:is|was|that)\b",
            r"\bwe are interested in\b",
            r"\bwe frame\b",
        ),
        re.I,
    ),
    "setup": re.compile(
        _any(
            r"\bwe (?!plan|intend|hope)(?:\w+ ){0,3}(?:use|used|train|trained|employ|employed|adopt|set"
            r"|initiali[sz]e|implement"
            r"|implemented|fine-?tune|apply"
            r"|conducted?|compare|compared|build|switch|exploit|tried|optimi[sz]ed?|pre-?train|evaluate|evaluated)\b",
            r"\b(?:is|are|was|were) (?:trained|initiali[sz]ed|conducted|implemented|performed|carried out|stacked"
            r"|optimi[sz]ed|administered"
            r"|randomi[sz]ed|provided|compared|assigned)\b",
            r"\bbatch size\b",
            r"\blearning rate\b",
            r"\boptimi[sz]er\b",
            r"\bdrop-?out\b",
            r"\bhyper-?parameters?\b",
            r"\bepochs?\b",
            r"\bGPUs?\b",
            r"\bbaselines?\b",
            r"\bcontrol group\b",
            r"\b(?:study|research) design\b",
            r"\bthe study (?:utili[sz]ed|used|was)\b",
            r"\b(?:pre|post)-?intervention\b",
            r"\btraining (?:sessions?|materials)\b",
            r"\bdata collection\b",
            r"\bfollow-up\b",
            r"\bas (?:a|our) baselines?\b",
            r"\bsessions?\b",
            r"\bsites introduced\b",
        ),
        re.I,
    ),
    "dataset": re.compile(
        _any(
            rf"\b(?:on|from|of|using|our|the|a|this|these|two|public|own) (?:[\w.,&-]+ ){{0,4}}{_DATA}\b",
            rf"\b{_DATA} (?:contains?|consists?|comprises?|has|had|provides|is|are|were|was|used)\b",
            # What a sample is made of: `the cohort consisted of 10,308`, `it contains 80,863 pages`.
            r"\b(?:contain|consist|compris|includ|enrol|recruit|cover)\w* (?:of )?(?:\w+ ){0,2}\d[\d,.]*(?= [a-z])",
            r"\bcohort (?:study|consist\w*|compris\w*|of)\b",
            r"\b(?:sample size|target population|inclusion criteria|exclusion criteria|age range|mean age)\b",
            # What was done with so many of them.
            rf"(?<![\w,])\d++(?:,\d++|(?!))*+ (?:[\w/()-]+ ){{0,4}}{_COUNTED} were \w+(?:ed|en)\b",
            rf"\b(?:performed|carried out|conducted|made|obtained|collected|measured|analy[sz]ed|tested) (?:on|in|from)"
            rf" \d++(?:,\d++|(?!))*+ (?:[\w/()-]+ ){{0,4}}{_COUNTED}\b",
            r"\b(?:annotated|annotators|crowdsourc\w+)\b",
            r"\bparticipants (?:were|in the study|had)\b",
        ),
        re.I,
    ),
    "metrics": re.compile(
        _any(
            r"\b(?:report|use|used|using|compute|calculate|measured?|evaluat\w+)\b[^.]{0,60}\b(?:metrics?|F-?1|BLEU"
            r"|accuracy|exact match|precision)\b",
            r"\b(?:evaluation|performance) (?:measures?|metrics?|criteri\w+)\b",
            r"\bmeasures used\b",
            r"\b(?:is|was|were|are) (?:measured|assessed|rated|quantified|scored|determined|identified|evaluated"
            r"|estimated|calculated|recorded) (?:using|by|with|on|as|at|from|according)\b",
            r"\bmetrics? (?:of|for|is|are)\b",
            r"\b\w+-item\b",
            r"\bLikert\b",
            r"\bdependent variables?\b",
            r"\bpoint scale\b",
            r"\bmeasures how\b",
            r"\bis calculated? (?:as|based)\b",
            r"\bhigher scores? indicate\b",
            r"\b(?:primary"
            r"|secondary) (?:outcomes?|end ?points?)\b",
            r"\bmeasure of\b",
            r"\b(?:rely on|adopt|employ) (?:\w+ ){0,3}(?:metrics?|measures?)\b",
            r"\bwe (?:will )?(?:\w+ly )?(?:record|measure|score|rate)\b",
            r"\bas (?:the|an?|our) (?:\w+ )?(?:metric|measure)\b",
            r"\baccuracy regards\b",
        ),
        re.I,
    ),
    "results": re.compile(
        _any(
            r"\b(?:out-?perform|surpass|exceed)(?:s|ed|ing)?\b",
            r"\bimprov(?:es?|ed|ing|ements?)\b",
            r"\bachiev(?:es?|ed|ing)\b",
            r"\b(?:yield|reach|obtain)(?:s|ed|ing)?\b",
            r"\b(?:in|de)creas(?:es?|ed|ing)\b",
            r"\b(?:reduc(?:es?|ed"
            r"|tions?)|declined?|dropp?(?:ed|s)?|drop of)\b",
            r"\b(?:performs?|performed) (?:\w+ ){0,2}(?:best|better|worse|poorly|worst)\b",
            r"\b(?:best|highest"
            r"|lowest|better|worse) (?:\w+ ){0,2}(?:performances?|results?|scores?|accurac\w+|F1)\b",
            r"\b(?:results?|experiments?|findings|data) (?:[\w.-]+ ){0,6}(?:show|shows|indicate|suggest|suggests"
            r"|demonstrate|reinforce|confirm)\b",
            # What a figure shows, and not what it is of.
            r"\b(?:fig(?:ure)?|table)s?\.? ?\d+\w? (?:\w+ly )?(?:show|indicate|suggest|reveal|demonstrate|confirm)s?"
            r" (?:that|how)\b",
            r"\bwe (?:found|find|observed?)\b",
            r"\b(?:[a-z]{3,}er|more|less|fewer|better|worse) (?:[\w-]+ ){0,8}than\b",
            r"\b\w+ times (?:faster|slower|[a-z]+er|more|less)\b|\bspeed-?up\b|\bhalved\b|\bdoubled\b",
            r"\b(?:is|are|was|were|in) (?:\w+ ){0,2}agreement\b|\bagree(?:s|d)? (?:\w+ )?with\b",
            r"\b(?:was|were) (?:\w+ly )?(?:observed|seen|detected|associated|correlated|related|reduced|shown)\b",
            r"\b(?:no|any|little) (?:\w+ ){0,3}(?:differences?|effect|association|evidence|change)\b",
            r"\bdifferences? (?:\w+ ){0,3}(?:between|in|was|were)\b",
            r"\b(?:under|over)-?(?:estimat|predict)\w+",
            r"\b(?:was|were) (?:measured|calculated|estimated|found|determined) (?:to be|for|as|at)\b",
            r"\bodds ratio\b|\b(?:higher|lower) odds\b|\bassociation between\b",
            r"\bsignificant(?:ly)?\b",
            r"\b(?:higher"
            r"|lower) (?:\w+ ){0,3}than\b",
            r"\bcaused\b",
        ),
        re.I,
    ),
    "stats": re.compile(
        _any(
            r"\b(?:statistically )?significan(?:t|ce) (?:difference|effect|interaction|at|level|associations?"
            r"|improvement|increase)\w*",
            r"\bstatistically\b",
            r"\bnot (?:statistically )?significant\b",
            r"\bconfidence intervals?\b",
            r"\bstandard (?:deviation|error)s?\b",
            r"\beffect sizes?\b",
            r"\baveraged? (?:across|over) \d+ (?:runs|seeds|trials|folds)\b",
            r"\bcross-validation\b",
            r"\bp-?\s?values?\b",
            r"\b(?:descriptive|inferential) statistics\b|\bfalse discovery\b|\bFDR\b|\berror[- ]bars?\b",
            r"\b(?:odds|hazard|risk) ratios?\b|\b(?:logistic|linear|Cox) regression\b",
        ),
        re.I,
    ),
    "limits": re.compile(
        _any(
            r"\blimitations?\b",
            r"\b(?:is|are|was|were) (?:also )?limited (?:to|by|in)\b",
            r"\blimited performances?\b",
            r"\bfuture (?:work|research|stud\w+|direction)\b",
            r"\bcannot (?:control|assess|be general\w+"
            r"|rule out)\b",
            r"\bshort-?comings?\b|\bcaveats?\b|\bweakness(?:es)?\b|\bdrawbacks?\b",
            r"\b(?:cannot|can not|could not|not possible to|unable to|impossible to) (?:be )?(?:determin|detect|conclud"
            r"|distinguish|compar|establish|infer)\w*",
            r"\bdiscrepanc\w+\b[^.]{0,80}\b(?:due|caused|because)\b",
            r"\bdue to the (?:\w+ )?(?:relatively|rather|limited|low|small|simple)\b",
            r"\binterpreted with c(?:aution|are)\b|\bloss to follow-?up\b",
            r"\bnot designed to\b|\b(?:could|may|might) (?:under|over)-?estimate\b",
            r"\bleave\b[^.]{0,80}\bfuture\b",
            r"\b(?:due to|from|by) (?:\w+ )?(?:errors?|artefacts?|artifacts?|contamination)\b",
            r"\bdue to (?:time|resource|space|budget) constraints?\b",
            r"\bdid not (?:tune|test|consider|evaluate"
            r"|control)\b",
            r"\bnot an ideal\b",
            r"\bmay have differed\b",
            r"\bsuffers? from (?:the )?limited\b",
            r"\bremains? (?:an )?open\b",
            r"\bwe (?:only|do not) (?:use|apply|consider)\b",
        ),
        re.I,
    ),
    "confounds": re.compile(
        _any(
            r"\bconfound\w*",
            r"\b(?:no|cannot|not) control (?:over|for)\b",
            r"\bother sources of (?:variance"
            r"|variation|bias)\b",
            r"\b(?:selection|sampling|response|publication|recall) bias\b",
            r"\bavoid the (?:influence|effects?) of\b",
            r"\bfor (?:a|the) fair comparison\b",
            r"\b(?:controll(?:ed|ing)|adjust(?:ed|ing|ments?)|correct(?:ed|ing)) for\b|\bcovariates?\b",
            r"\b(?:whether|that|to)\b[^.]{0,80}\b(?:due to|accounte?d? for)\b[^.]{0,40}\b(?:medication|error|bias"
            r"|group|age|sex|differences?)\b",
            r"\b(?:avoid|prevent|reduce|introduce|without|any) (?:\w+ )?bias\b",
            r"\bmay arise from\b",
            r"\bis partly due to\b",
            r"\b(?:threats? to|internal|external) validity\b",
            r"\bcausality cannot\b",
            r"\bcould (?:also )?be (?:due"
            r"|explained)\b",
        ),
        re.I,
    ),
}


def is_english(text: str) -> bool:
    """As far as a sentence tells: one of a few words does not."""
    return len(text.split()) < WORDS_MIN or bool(_ENGLISH.search(text))
