"""Run-on sentences → pieces of one clause each: what is cut, what stays together, and what it comes to."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime

import pytest
from facts_kit import statements_in
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.lexicon import HERE
from engine.sentences import parse
from engine.types import Message, Role

TABLES = tomllib.loads((HERE / "segments.toml").read_text(encoding="utf-8"))
NOW = datetime(2026, 3, 2, tzinfo=UTC)

# A row: the message, then the statements it leaves, divided by ";". "a / b" allows either wording.

CLAUSES = """
i go bouldering mondays now, way more fun and nobody shouts at me -> user goes bouldering mondays
a colleague took me to an Ethiopian place in May and Ethiopian is my favourite food now -> colleague took user to an Ethiopian place in May; user's favourite food is Ethiopian
the screen gave up so i bought a Fairphone yesterday -> screen gave up; user bought a Fairphone yesterday
dropped crossfit altogether, my shoulders were wrecked -> user dropped crossfit altogether; user's shoulders were wrecked
I work for IKEA; my wife works for Volvo -> user works for IKEA; user's wife works for Volvo
My daughter starts school in September (she's five) and I'm terrified -> user's daughter starts school in September; user's daughter is five; user is terrified
I've got two cats, Miso and Tofu, and a hamster called Gerald -> user has got two cats named Miso and Tofu; user has got a hamster called Gerald
my car broke down again so i'm taking the bus to work now -> user's car broke down; user is taking the bus
We sold the house in Kent and we're renting a flat in Brighton until we find something -> user sold the house in Kent; user is renting a flat in Brighton
we live in Cork now, can you believe it, and the kids love it -> user lives in Cork
Both my mum and my dad are teachers and they met in Hull -> user's mum and user's dad are teachers
I'm not a vegetarian but I don't eat pork -> user is not a vegetarian; user does not eat pork
We moved here in 2015, I started at the hospital in 2016, and my daughter was born the year after -> user moved here in 2015; user started at the hospital in 2016; user's daughter was born the year after
My doctor says I have high blood pressure so I'm cutting down on salt -> user has high blood pressure; user is cutting down on salt
my flat is tiny, but the rent is only 600 a month -> user's flat is tiny; user's rent is only 600 a month
My boyfriend's called Luca, he's Italian, he's a chef -> user's boyfriend is Luca; Luca is Italian; Luca is a chef
My mum's 70 next week and we're taking her to Venice -> user's mum is 70 next week; user is taking user's mum to Venice
I got a new phone, it's a Pixel 8 -> user got a new phone; user's phone is a Pixel 8
got a new phone, sold the old one -> user got a new phone; user sold the old one
sold the car, bought a bike, never been happier -> user sold the car; user bought a bike; user has never been happier
quit smoking, started vaping, quit vaping -> user quit smoking; user started vaping; user quit vaping
i dont drink coffee anymore, it gave me anxiety so i switched to rooibos -> user does not drink coffee anymore; user switched to rooibos
I broke up with Jonas in May and I'm living with my sister now -> user broke up with Jonas in May; user is living with their sister
my landlord is selling the flat so we have to be out by 31 August -> user's landlord is selling the flat; user has to be out by 31 August
If you must know, I'm 41 and I'm single -> user is 41; user is single
I hate flying, but I'm going to Tokyo in April because my best friend is getting married there -> user hates flying; user is going to Tokyo in April; user's best friend is getting married there
My name is Bex, I'm 33, I run a bakery in Margate, and I've got a toddler and a whippet -> user's name is Bex; user is 33; user runs a bakery in Margate; user has got a toddler; user has got a whippet
Two years ago I weighed 120 kilos, now I weigh 84 -> user weighed 120 kilos; user weighs 84
we had three cats but one died last week, so now we have two -> user had three cats; user has two
note: my locker number is 117, my pin is 4410 -> user's locker number is 117; user's pin is 4410
My favourite band is Wilco and my favourite film is Alien -> user's favourite band is Wilco; user's favourite film is Alien
I play guitar and sing in a band with my brother and his mates -> user plays guitar; user sings in a band with their brother and his mates
I love dogs, cats, and horses -> user loves dogs; user loves cats; user loves horses
my mum is a nurse, my dad is a cook and my brother is a driver -> user's mum is a nurse; user's dad is a cook; user's brother is a driver
Long story short, we broke up and I moved back in with my parents -> user broke up; user moved back in with their parents
To cut a long story short I got sacked and I'm driving for Uber now -> user got sacked; user is driving for Uber
for context, I'm a single dad, my son is 8 and we live in Ghent -> user is a single dad; user's son is 8; user lives in Ghent
oh and I don't work at Shell anymore, I left in June -> user does not work at Shell anymore; user left in June
and then in 2018 I moved to Canada and I've been here ever since -> user moved to Canada in 2018; user has been here ever since
In 2019 we moved to Lyon and I started at Airbus -> user moved to Lyon in 2019; user started at Airbus
I was vegan for a year, then I got anaemic, so I eat fish again -> user was vegan for a year; user got anaemic; user eats fish
My partner and I live in Utrecht, we have a canal boat -> user and user's partner live in Utrecht; user has a canal boat
My wife and I have three boys, and my brother and his wife have three girls -> user and user's wife have three boys; user's brother and user's brother's wife have three girls
I love my job, I love my boss, I hate the commute -> user loves their job; user loves their boss; user hates the commute
I take the 7:40 train, it takes an hour -> user takes the 7:40 train
my dad wants me to study law but I'm doing fine art at Goldsmiths -> user's dad wants user to study law; user is doing fine art at Goldsmiths
I reckon I'm about 80 kilos now and I want to get to 75 -> user is about 80 kilos; user wants to get to 75
I guess I'm a runner now, I did my first half marathon in May -> user is a runner; user did their first half marathon in May
It turns out my neighbour is a judge and her husband is a vet -> user's neighbour is a judge; user's neighbour's husband is a vet
no kids yet, we have a dog, her name is Pixel -> user has a dog; user has a dog named Pixel
yes I'm still at Nokia, no I haven't been promoted -> user is at Nokia; user has not been promoted
me and my brother run a garage in Derby, our dad started it -> user and user's brother run a garage in Derby
me and Sam split up, I kept the cat -> user and Sam split up; user kept the cat
I was going to be a vet but I failed chemistry so I became a groomer -> user was going to be a vet; user failed chemistry; user became a groomer
I'd love to live in Japan but I can't speak Japanese -> user would love to live in Japan; user cannot speak Japanese
I like tea, coffee and hot chocolate, and my wife likes wine -> user likes tea; user likes coffee; user likes hot chocolate; user's wife likes wine
We grow tomatoes, beans and courgettes, and my father-in-law keeps bees -> user grows tomatoes; user grows beans; user grows courgettes; user's father-in-law keeps bees
I bought bread, milk and eggs and then I went home -> user bought bread; user bought milk; user bought eggs; user went home
I'm not a morning person but I get up at six -> user is not a morning person; user gets up at six
I don't work at Bosch, I work at Siemens -> user does not work at Bosch; user works at Siemens
I study law, which I hate, but I finish in June -> user studies law; user finishes in June
My brother works nights, I work days, we never meet -> user's brother works nights; user works days; user never meets
I weigh 82 kg and I'm 1.80 m tall -> user weighs 82 kg; user is 1.80 m tall
My phone number is 0151 234567, my email is kaya@example.org -> user's phone number is 0151 234567; user's email is kaya@example.org
I got up at 6, ran 10k, had breakfast -> user got up at 6; user ran 10k; user had breakfast
we sold up, bought a van and drove to Portugal -> user sold up; user bought a van; user drove to Portugal
left school at 16, joined the navy, never looked back -> user left school at 16; user joined the navy; user never looked back
sold my Golf yesterday, the new one's a Skoda -> user sold their Golf yesterday
Finished chemo in June, so now I'm in remission -> user finished chemo in June; user is in remission
Got divorced in 2020 and I've been single since -> user got divorced in 2020; user has been single since
i stopped taking sertraline bc it made me sleepy n now i'm on venlafaxine -> user stopped taking sertraline; user is on venlafaxine
we went thru a rough patch but we're good now, we're having a baby -> user went through a rough patch; user is good; user is having a baby; user has a baby
I was born in 1985, in Quito, and I grew up in Lima -> user was born in 1985 in Quito; user grew up in Lima
I was born on 3 May 1985 and my twin was born on 4 May -> user was born on 3 May 1985; user's twin was born on 4 May
I work 9 to 5, Monday to Friday, and I'm on call every other weekend -> user works 9 to 5 Monday to Friday; user is on call every other weekend
I take 50 mg of sertraline, one in the morning, and I use an inhaler -> user takes 50 mg of sertraline; user uses an inhaler
my address is 12 Mill Lane, Leeds, and my postcode is LS1 4AB -> user's address is 12 Mill Lane, Leeds; user's postcode is LS1 4AB
my son Leo, 6, and my daughter Mia, 4, both have asthma -> user's son is Leo; user's daughter is Mia; user's son Leo and user's daughter Mia have asthma
I have a brother, two sisters and a half-sister in Chile -> user has a brother; user has two sisters; user has a half-sister in Chile
I speak French, some German, and a little Czech -> user speaks French; user speaks some German; user speaks a little Czech
I am 34 (nearly 35) and I live in Mons -> user is 34; user lives in Mons
My mum (she lives in Cork) has a new hip -> user's mum has a new hip; user's mum lives in Cork
My brother (the one in Oslo) got married -> user's brother got married
My dog (a beagle) is called Max and he's ten -> user has a dog named Max; user's dog Max is ten
my mate Dave he's a plumber and he's got a van -> user's mate is Dave; Dave is a plumber; Dave has got a van
1. I live in Ghent and I work at Volvo -> user lives in Ghent; user works at Volvo
- vegetarian, but I eat fish -> user eats fish
"""  # noqa: E501

OPENERS = """
ok so slight change, the wedding is on 12 June now -> user's wedding is on 12 June
Funny thing, my brother Tom lives in the same street as my ex -> user's brother is Tom; user's brother Tom lives in the same street as user's ex
Life update: I quit my job at Deloitte and I'm going back to uni -> user quit their job at Deloitte; user is going back to uni
so bad news my dog Biscuit died on Friday -> user has a dog named Biscuit; user's dog Biscuit died on Friday
One thing upfront: I'm allergic to shellfish. -> user is allergic to shellfish
ok quick one, my new number is 07700 900123 and my old one is dead -> user's new number is 07700 900123
guess what, I'm pregnant -> user is pregnant
guess what we bought a boat -> user bought a boat
turns out I'm intolerant to lactose, not gluten -> user is intolerant to lactose
sad news - my grandma Irma passed away last night -> user's grandma is Irma; user's grandma Irma passed away last night
honestly, I can't stand my new job, my boss is a bully -> user cannot stand their new job; user's boss is a bully
to be fair I like my job, the pay is just bad -> user likes their job; user's pay is just bad
anyway, I'm back in Dublin and I'm teaching again -> user is back in Dublin; user is teaching
just so you know, I don't do dairy, I get migraines from it -> user does not do dairy; user gets migraines from it
the thing is I don't eat pork and my in-laws are farmers -> user does not eat pork; user's in-laws are farmers
problem is, I live in a rural area and there's no bus -> user lives in a rural area
my point is that I can't drive and I live 10 miles from work -> user cannot drive; user lives 10 miles from work
all I know is I'm tired and I need a holiday -> user is tired; user needs a holiday
idk if i told u but i'm bi and my gf is called mel -> user is bi; user's girlfriend is Mel
ok thanks, I'll try that, my son loves pasta -> user's son loves pasta
hi there, I'm new here, my name is Tove -> user is new here; user's name is Tove
nice weather today, I went for a run, I saw a deer -> user went for a run; user saw a deer
"""  # noqa: E501

SPEECH = """
the appointment with uh doctor adeyemi it's on the 23rd -> appointment with doctor adeyemi is on the 23rd
I have 34 years and I live in Madrid with my parents -> user has 34 years; user lives with their parents; user lives in Madrid
my wife she is from Brazil and we speak Portuguese at home -> user's wife is from Brazil; user speaks Portuguese at home
um so I I work at the the post office and my wife she's a she's a nurse -> user works at the post office; user's wife is a nurse
well I was born in in Glasgow but I I grew up in Dundee you know -> user was born in Glasgow; user grew up in Dundee
and uh my my son he plays the trumpet and my daughter she does judo -> user's son plays the trumpet; user's daughter does judo
I've been a plumber for for thirty odd years and er I'm retiring next month -> user has been a plumber for thirty odd years; user is retiring next month
I live in Denver I'm a nurse and I have two kids -> user lives in Denver; user is a nurse; user has two kids
i have a dog i'm a teacher i live in hull -> user has a dog; user is a teacher; user lives in Hull
me nan's 90 and she still does her own shopping -> user's nan is 90; user's nan does her own shopping
my name's farah and i'm a dentist, i qualified in 2014 -> user's name is Farah; user is a dentist; user qualified in 2014
her name's ruth, she teaches maths and she's from Cardiff -> her name is Ruth / Her name is Ruth; Ruth teaches maths; Ruth is from Cardiff
our son's called otis, he was born in June -> user's son is Otis; user's son Otis was born in June
so basically i work for the council, have done for ten years, and i hate it -> user works for the council for ten years
well you know we we moved out to the coast in in twenty nineteen and uh I retired the year after and my wife she still does two days at the library -> user moved out to the coast in twenty nineteen; user retired the year after; user's wife does two days at the library
yeah no I'm I'm a bus driver and er I do the number 36 mostly -> user is a bus driver; user does the number 36 mostly
er we've got a caravan down in Tenby we go there every summer my wife loves it I'm not so keen you know -> user has got a caravan down in Tenby; user goes there every summer; user is not so keen
no so my brother he lives in Canada he's in Calgary he moved there in oh it must be two thousand and five -> user's brother lives in Canada; user's brother is in Calgary
i play five a side on wednesdays but my knee's knackered so i'm mostly in goal -> user plays five a side on wednesdays; user's knee is knackered; user is mostly in goal
the flat came with a piano and now i practise every evening -> flat came with a piano; user practises every evening
My wife's pregnant, we're due in May and my mother-in-law's moving in -> user's wife is pregnant; user is due in May; user's mother-in-law is moving in
"""  # noqa: E501

ENGLISHES = """
my gf works at tesco and her brother is a cop -> user's girlfriend works at tesco; user's girlfriend's brother is a cop
bc im lactose intolerant i drink oat milk -> user is lactose intolerant; user drinks oat milk
my pronouns are she/her and i use they/them for my kid -> user's pronouns are she/her; user uses they/them for their kid
I drive a '72 Beetle and my wife has a '98 Civic -> user drives a '72 Beetle; user's wife has a '98 Civic
i have a friend called marcus, he lives in oslo -> user's friend is Marcus; Marcus lives in Oslo
we shifted to Gurgaon last month only, my husband got transferred -> user shifted to Gurgaon last month only; user's husband got transferred
my mother is having diabetes since ten years so she takes metformin -> user's mother is having diabetes since ten years; user's mother takes metformin
I am vegetarian from childhood but my wife she eats chicken -> user is vegetarian from childhood; user's wife eats chicken
I am in Germany since 2 years and I learn German in the Volkshochschule -> user is in Germany since 2 years; user learns German in the Volkshochschule
my brother he is doctor in Lyon -> user's brother is doctor in Lyon
my phone died so im using my gf's old iphone til friday -> user's phone died; user is using their girlfriend's old iphone till friday
ya so I am basically from Kerala only, but my family is settled in Dubai, so I did my schooling there -> user is from Kerala only; user's family is settled in Dubai; user did their schooling there
actually I left my job na, so now I am preparing for UPSC -> user left their job; user is preparing for UPSC
my cousin brother is getting married in december so we are all going to Jaipur -> user's cousin brother is getting married in december; user is going to Jaipur
I have completed my MBA from Symphosis and presently I am working with HDFC -> user has completed their MBA from Symphosis; user is working with HDFC
I am working as a QA engineer and my wife is working in Wipro, both of us are from Kerala -> user is working as a QA engineer; user's wife is working in Wipro
I did my B.Tech from NIT Trichy and then I joined TCS and now I am in Amazon -> user did their B.Tech from NIT Trichy; user joined TCS; user is in Amazon
we are having one dog, his name is Bruno -> user is having one dog; user has a dog named Bruno
I am married since 3 years, my husband works like engineer -> user is married since 3 years; user's husband works like engineer
my children they go to the German school and I take a course for learn English -> user's children go to the German school; user takes a course for learn English
I come from Syria and since 2016 I live in Leipzig, I am electrician -> user comes from Syria; user lives in Leipzig since 2016; user is electrician
Yesterday I have bought a new car, it is a red Fiat -> user has bought a new car Yesterday; user's car is a red Fiat
I like very much the mountains and my husband prefers the sea -> user likes very much the mountains; user's husband prefers the sea
i luv my job tbh, boss is lovely, pay is crap -> user loves their job; user's boss is lovely; pay is crap
"""  # noqa: E501

BOUND = """
I live in Denver, work remotely and have a dog -> user lives in Denver; user works remotely; user has a dog
My sister Ana, who is 30, lives in Lima -> user's sister is Ana; user's sister Ana is 30; user's sister Ana lives in Lima
I think my mum and my dad live in the past -> user's mum and user's dad live in the past
I think I'm allergic to cats and my sister thinks so too -> user is allergic to cats
my boss said she is pregnant and she is leaving in June -> user's boss is pregnant; user's boss is leaving in June
when I was a kid I lived in Ghana and my dad drove a taxi -> user lived in Ghana; user's dad drove a taxi
since my dad died I live alone and I cook a lot -> user lives alone; user cooks a lot
I don't think I'm depressed and I don't need a therapist -> user is not depressed; user does not need a therapist
before I moved to Spain I was an accountant and I hated it -> user was an accountant
Since January I've been vegan and my skin is better -> user has been vegan since January; user's skin is better
In March I quit sugar, and I feel great -> user quit sugar in March; user feels great
people think I'm Spanish but I'm Portuguese -> user is Portuguese
I might sell the van, it costs me a fortune -> user might sell the van
whenever it snows I work from home and my wife takes the kids sledging -> user works from home; user's wife takes the kids sledging
While I was living in Oslo I met my wife and we had two kids -> user met their wife; user had two kids
Although I'm a vegetarian, I cook meat for my kids and they love it -> user is a vegetarian; user cooks meat for their kids
Because my mum is Greek I speak Greek and I go to Crete every summer -> user's mum is Greek; user speaks Greek; user goes to Crete every summer
I moved because I got a job in Leeds and my wife wanted to be near her mum -> user moved; user got a job in Leeds; user's wife wanted to be near her mum
I know someone who lives in Oslo and he works at Equinor -> user knows someone
I can't believe I'm forty and I still rent -> user is forty; user rents
I'm afraid I lost my job and I'm broke -> user lost their job; user is broke
I'm sure my sister lives in Rome and my brother lives in Milan -> user's sister lives in Rome; user's brother lives in Milan
nobody thinks I'm good at chess but I won the club cup -> user won the club cup
I always thought I was adopted and I was right -> user was right
I used to think I was shy and I couldn't talk to people -> user could not talk to people
I'm thinking of moving to Leeds and my wife agrees -> user is thinking of moving to Leeds; user's wife agrees
I'm supposed to be vegan but I eat cheese -> user is supposed to be vegan; user eats cheese
My boyfriend, who works at Lidl, and I are buying a house -> user is buying a house
"""  # noqa: E501

ASKED = """
I'm vegan, what can I cook? -> user is vegan
suggest me a recipe, I'm vegan and I have no oven -> user is vegan; user has no oven
Can you book a table? I'm in Porto until Friday and I like fado -> user is in Porto until Friday; user likes fado
what should I do, my boss wants me to relocate to Texas and my wife hates heat -> user's boss wants user to relocate to Texas; user's wife hates heat
how do I tell my mum, I dropped out of med school -> user dropped out of med school
where can I buy a cello, I live in Graz? -> user lives in Graz
is it normal, I'm pregnant and I can't stand coffee? -> user is pregnant; user cannot stand coffee
What's a good present for my wife, she loves gardening? -> user's wife loves gardening
which visa do I need, I'm Canadian and I want to work in Japan? -> user is Canadian; user wants to work in Japan
I'm lactose intolerant so what cheese can I eat? -> user is lactose intolerant
I have two dogs, are grapes bad for them? -> user has two dogs
Could you recommend a gym, I live in Hackney and I like boxing -> user lives in Hackney; user likes boxing
You know I'm a vegan, don't you? -> user is a vegan
Tell me a story, I like dragons -> user likes dragons
Make me a meal plan, I'm diabetic and I hate fish -> user is diabetic; user hates fish
Give me tips, I run 10k three times a week -> user runs 10k three times a week
"""  # noqa: E501

TOLD = {
    "clauses": CLAUSES,
    "openers": OPENERS,
    "speech": SPEECH,
    "englishes": ENGLISHES,
    "bound": BOUND,
    "asked": ASKED,
}

# What is supposed, wished, ordered, asked, dreamt or told by others of themselves leaves nothing.
NOT_ASSERTED = """
if we get the loan, we move to Rome and I quit my job
I either move to Berlin or I stay here and rent
I hope I get the job and we move to Lyon
imagine I live in Rome and I have a vespa
tell my boss I quit and I moved to Bali
write a story where I live on Mars and my dog talks
I'd move to Norway and I'd buy a cabin
I would quit and I would travel if I won the lottery
I wonder whether I should move and whether my wife would like it
Suppose I moved to Rome and I got a job at a bank
What if I quit my job and I travel for a year?
Unless I find a flat, I stay with my parents and I save money
Do you think I should tell my boss I'm pregnant and I'm leaving?
Did I tell you I moved to York and I got a cat?
Did you know that I live in Rome and I have a boat?
Is my sister allergic to nuts and does my brother smoke?
Do I live in Oslo or do I live in Bergen?
Forget my address and my phone number is 0151 234567
Write an email to my landlord saying I'm moving out and I want my deposit back
Draft a text to Ana: I'm running late and I'm bringing wine
Translate this: I live in Berlin and I have a dog
my mum would be happier if she sold the house and she moved in with us
I'd sell the car, I'd buy a bike and I'd cycle to work if we lived closer
If only I had a garden, I'd grow beans, and my kids would help
she said she'd quit and she'd move to Rome
in my dream I lived on a boat and I had six dogs
in the film she lives in Rome and she has a vespa
I almost moved to Rome and I nearly bought a flat there
either we move to Leeds or we stay here
remember when I lived in Rome and I had that vespa?
what I eat is mostly rice and what I drink is mostly tea
"""

# A row: the message as it is cut. Leading words that are left out stand in brackets.
CUTS = """
I live in Hull | {and} I work at Lidl
I live in Hull{, and} | my wife works at Lidl
my knee hurts {so} | I stopped running
I love it here{,} | my dad hates it
I have a van{ -} | we go to Wales a lot
I got sacked{:} | my boss hated me
we moved in May{,} | plus my mum came with us
I sold the boat{,} | then I bought a canoe
I moved to Oslo {and} | in 2019 I married Kari
I live alone {and} | when it rains I stay in
I used to row {but} | now I swim
I teach maths{,} | in the evenings I sing
I have a cat{,} | two of my friends have dogs
my brother's wife is a judge {and} | her sister is a cop
the rent I pay is steep {but} | the flat is lovely
me and Jo have a bar{,} | our son runs it
{oh and} I quit smoking
{right so} my name is Bo
{the thing is} I can't swim
{so, bad news,} my cat died
{one more thing,} I hate olives
{for the record,} I never smoked
{ok so slight change,} the party is on Sunday
I'm vegan{,} | what should I cook?
I'm Canadian {so} | which visa do I need?
do you know a plumber{,} | my boiler is broken{?}
where can I buy a cello{,} | I live in Graz{?}
I live in Bath | I'm a cook
I drink tea now | I quit coffee
my sister lives in Ghent | she's a judge
I speak Welsh {and so does my wife}
I don't eat meat{, my wife does though}
{right so um} we've got a little flat in alicante yeah for the holidays {you know and uh} | we live in bradford
we've got a caravan down in Tenby | we go there every summer
sold the car{,} | bought a bike
no kids yet{,} | we have a dog
long day{,} | I'm tired
my neighbour told me he was ill{, so} | I cook for him
I think I'm too old {and} | my knees agree
I lived in Ghana when I was a boy{, and} | my dad drove a taxi
when I was a boy I lived in Ghana {and} | my dad drove a taxi
I have a friend who paints {and} | she sells at the market
"""

# What must not be cut: lists, subjects that are handed down, clauses that hang on others.
WHOLE = """
I live in Denver, work remotely and have a dog.
My sister Ana, who is 30, lives in Lima.
I know a nurse, a cook and a driver.
I speak Danish, Frisian and Latin.
If it rains, I stay in and my wife goes out.
We move to Rome and I quit if we get the loan.
She said I'm lazy and I never cook.
My boss thinks I'm slow and my work is poor.
I hope I pass and my sister fails.
I wish I was taller and my hair was red.
I think my mum and my dad like you.
I know Ana and Bob live in Rome.
Not only my sister but also my brother plays chess.
Between my job and my kids I get no sleep.
Both my mum and my dad are cooks.
Either I move or she does.
I moved here so I can walk to work.
I moved here so that my kids can walk to school.
I left because the pay was bad.
I was a cook before I moved here.
I love it when my son sings and my wife plays.
The man who lives upstairs and my sister are dating.
She lives, I think, in Lima.
Tell my boss I'm ill and I can't come.
Write a poem about how I met Jo and how we fell in love.
Forget that I live in Rome and I have a dog.
Did I say that I live in Rome and I have a dog?
I live in Rome, don't I?
Is it true that you live in Rome and you have a dog?
Imagine I won and we moved to Rome.
What if I quit and we move?
In my dream I was a king and my dog could talk.
My flat is in Hove, a seaside town.
I was born in Quito, grew up in Lima and live in Ghent.
My father-in-law keeps bees.
I don't live in Leeds but in Bradford.
I work from 9 to 5, Monday to Friday.
Unless my boss agrees, I leave and she can find somebody else.
I wonder whether my sister knows and whether my mum cares.
The flat I bought is in Hove.
He asked if I was vegan and my wife said no.
My dog, the cat and the parrot get on.
Do you know Ana, she lives in Rome?
I'm sorry, I can't.
Sorry, I meant Leeds, I live in Leeds.
No wait, it's Thursday, my exam is on Thursday.
"""


def rows(table: str) -> list[tuple[str, str]]:
    split = [line.partition(" ->") for line in table.strip("\n").splitlines()]
    return [(left, right.strip()) for left, _, right in split]


def pieces(text: str) -> list[str]:
    return [s.text for s in parse([Message(Role.USER, text, "m", NOW)])[0]]


@pytest.mark.parametrize(
    ("message", "expected"),
    [pytest.param(*row, id=f"{topic}: {row[0]}") for topic, table in TOLD.items() for row in rows(table)],
)
def test_a_run_on_message_leaves_its_statements_and_no_others(message: str, expected: str) -> None:
    found = statements_in(message)
    wanted = [set(part.strip().split(" / ")) for part in expected.split(";")] if expected else []
    assert len(found) == len(wanted) and all(options & set(found) for options in wanted), f"{found}"


@pytest.mark.parametrize("message", NOT_ASSERTED.strip().splitlines())
def test_a_cut_never_makes_an_assertion(message: str) -> None:
    assert statements_in(message) == []


@pytest.mark.parametrize("cut", [*CUTS.strip().splitlines(), *TABLES["cuts"]["examples"]])
def test_a_line_is_cut_where_a_clause_begins(cut: str) -> None:
    """ "|" stands where it is cut, and what is left out stands in brackets."""
    message = cut.replace(" | ", " ").replace("{", "").replace("}", "")
    wanted = [" ".join(_kept(piece).split()) for piece in cut.split(" | ")]
    assert pieces(message) == wanted


def _kept(piece: str) -> str:
    return "".join(part.partition("}")[2] if "}" in part else part for part in piece.split("{"))


@pytest.mark.parametrize("message", [*WHOLE.strip().splitlines(), *TABLES["cuts"]["counter"]])
def test_what_hangs_together_is_not_cut(message: str) -> None:
    assert pieces(message) == [message]


WORDS = (
    "i I'm my sister Ana and but so , ; - . ? : ( ) if when because that who live lives in Rome have a dog is she he it's "
    "said think hope tell yeah um the day no not do don't what can you news now since 2010 w/ bc \n 's she/her '72"
).split(" ")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
def test_every_piece_is_a_verbatim_part_of_the_message(text: str) -> None:
    for sentence in parse([Message(Role.USER, text, "m", NOW)])[0]:
        assert sentence.text == text[sentence.start : sentence.end]
        starts = [t.start for t in sentence.tokens]
        assert starts == sorted(starts)
        assert all(sentence.start <= t.start <= t.end <= sentence.end for t in sentence.tokens)


def test_the_lists_are_in_lower_case_and_told_once() -> None:
    for name, table in TABLES.items():
        if name == "cuts":
            continue
        words = [word if isinstance(word, str) else word[0] for word in table["words"]]
        assert words == [word.lower() for word in words], name
        assert len(words) == len(set(words)), (name, sorted(w for w in set(words) if words.count(w) > 1))


def test_a_receipt_names_its_clause_alone() -> None:
    assert pieces("Funny thing, I moved to Ghent and I sold the car.") == ["I moved to Ghent", "I sold the car."]


@pytest.mark.parametrize(
    ("message", "aside"),
    [
        ("my wife (she's a vet) loves owls", "she's a vet"),
        ("my son, he's six, is in hospital", "he's six"),
        ("I start in May (I'm nervous) and my boss is nice", "I'm nervous"),
    ],
)
def test_an_aside_is_a_piece_of_its_own(message: str, aside: str) -> None:
    assert aside in pieces(message)


def test_what_stands_behind_the_colon_of_an_order_is_not_read() -> None:
    assert pieces("Translate this: I live in Berlin and I have a dog") == ["Translate this:"]
    assert pieces("I live in Berlin: I love it") == ["I live in Berlin", "I love it"]


def test_a_sentence_without_a_cut_is_what_it_was() -> None:
    for text in ("I live in Hull.", "My flat is in Hove", "Do I live in Oslo?", "Thanks!"):
        assert pieces(text) == [text]
